"""Logs of the Parallel Workloads Archive: their addresses and their digests.

The archive: https://www.cs.huji.ac.il/labs/parallel/workload/ (Feitelson, Tsafrir and Krakov,
"Experience with Using the Parallel Workloads Archive", JPDC 2014).
"""

from __future__ import annotations

from typing import NamedTuple

ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload"


class ArchiveLog(NamedTuple):
    """A log of the Parallel Workloads Archive.

    file: its name. folder: where it is in the archive. sha256: of the compressed file as the
    archive has it; None: not known here.
    """

    file: str
    folder: str
    sha256: str | None = None

    @property
    def name(self) -> str:
        return self.file.removesuffix(".swf.gz")


LOGS = (
    ArchiveLog(
        "CTC-SP2-1996-3.1-cln.swf.gz",
        "l_ctc_sp2",
        "b0340ab258dbf1be3ad7a2e3a9b6755255b30afbdf7f19071ef35844298d9deb",
    ),
    ArchiveLog(
        "KTH-SP2-1996-2.1-cln.swf.gz",
        "l_kth_sp2",
        "ca38b89067b6150d8ee172694e27a9e67194eef0d338b609a764d10608d50a14",
    ),
    ArchiveLog(
        "LANL-CM5-1994-4.1-cln.swf.gz",
        "l_lanl_cm5",
        "8c766794a4b212f1192dc29a13ab30f8b3a671faa17593abe5d6b4d93401d76f",
    ),
    ArchiveLog(
        "LLNL-Atlas-2006-2.1-cln.swf.gz",
        "l_llnl_atlas",
        "cdde2327c7207abbd92c81c69e783561ca78103126c26a0da48d146dba0eff6d",
    ),
    ArchiveLog(
        "NASA-iPSC-1993-3.1-cln.swf.gz",
        "l_nasa_ipsc",
        "13def0b4089013b43831e39fe47f965af90479858d1aab42700325549a746748",
    ),
    ArchiveLog(
        "SDSC-Par-1996-3.1-cln.swf.gz",
        "l_sdsc_par",
        "6e13556d41610daf72f779707bed25af77bfbbcf3544f0f489f65a77364e1793",
    ),
    ArchiveLog(
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        "l_sdsc_sp2",
        "542411910a45dabaa10a4c7237df39315d24e974b82c0e3a5c811e18585cf35a",
    ),
    ArchiveLog("SDSC-Par-1995-3.1-cln.swf.gz", "l_sdsc_par"),
    ArchiveLog("CTC-SP2-1995-2.swf.gz", "l_ctc_sp2"),
    ArchiveLog("LLNL-T3D-1996-2.swf.gz", "l_llnl_t3d"),
    ArchiveLog("LANL-O2K-1999-2.swf.gz", "l_lanl_o2k"),
    ArchiveLog("OSC-Clust-2000-3.1-cln.swf.gz", "l_osc"),
    ArchiveLog("SDSC-BLUE-2000-4.2-cln.swf.gz", "l_sdsc_blue"),
    ArchiveLog("Sandia-Ross-2001-1.1-cln.swf.gz", "l_sandia_ross"),
    ArchiveLog("HPC2N-2002-2.2-cln.swf.gz", "l_hpc2n"),
    ArchiveLog("SDSC-DS-2004-2.1-cln.swf.gz", "l_sdsc_ds"),
    ArchiveLog("LPC-EGEE-2004-1.2-cln.swf.gz", "l_lpc"),
    ArchiveLog("LCG-2005-1.swf.gz", "l_lcg"),
    ArchiveLog("SHARCNET-2005-2.swf.gz", "l_sharcnet"),
    ArchiveLog("LLNL-Thunder-2007-1.1-cln.swf.gz", "l_llnl_thunder"),
    ArchiveLog("CIEMAT-Euler-2008-1.swf.gz", "l_ciemat_euler"),
    ArchiveLog("ANL-Intrepid-2009-1.swf.gz", "l_anl_int"),
    ArchiveLog("PIK-IPLEX-2009-1.swf.gz", "l_pik_iplex"),
    ArchiveLog("RICC-2010-2.swf.gz", "l_ricc"),
    ArchiveLog("CEA-Curie-2011-2.1-cln.swf.gz", "l_cea_curie"),
    ArchiveLog("METACENTRUM-2013-3.swf.gz", "l_metacentrum2"),
    ArchiveLog("UniLu-Gaia-2014-2.swf.gz", "l_unilu_gaia"),
    ArchiveLog("KIT-FH2-2016-1.swf.gz", "l_kit_fh2"),
)


def named(text: str) -> list[ArchiveLog]:
    """Return the logs with this name, or else those whose names begin with it, in any case."""
    wanted = text.lower().removesuffix(".gz").removesuffix(".swf")
    exact = [log for log in LOGS if log.name.lower() == wanted]
    return exact or [log for log in LOGS if log.name.lower().startswith(wanted)]
