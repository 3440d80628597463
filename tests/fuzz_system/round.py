"""One round: a fresh system, all parties at once, and the judgement at the end."""

from __future__ import annotations

import random
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.fuzz_system.honest import Honest
from tests.fuzz_system.janitor import Janitor
from tests.fuzz_system.judge import Finding, Judge
from tests.fuzz_system.parties import PARTIES, Party, make_parties
from tests.fuzz_system.requests import Known
from tests.fuzz_system.settlement import settle
from tests.fuzz_system.system import System
from tests.fuzz_system.transcript import Act, Transcript

TRANSCRIPT = "transcript.jsonl"
RECIPES = (
    "easy",
    "easy++",
    "timed-easy,trial=2",
    "timed-easy++,trial=1",
    "conservative",
    "dynp",
    "selective,threshold=2",
    "timed-conservative,trial=1",
)
_Talk = Callable[[Mapping[str, Party]], None]


class Round:
    """A system and its parties. `seed` is the round's own. `folder` gets findings, and then also
    the transcript and the logs."""

    def __init__(self, seed: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._seed = seed
        self._folder = folder
        self._transcript = Transcript(folder / TRANSCRIPT)
        self._known = Known()
        self._recipe = random.Random(f"{seed}/recipe").choice(RECIPES)
        self._system = System(self._recipe)
        self._judge = Judge(self._system, self._transcript, self._tell)

    def run(self, names: Iterable[str], seconds: float, acts: int | None) -> dict[str, Any]:
        """Let the parties of these names talk for so long, a caller up to `acts` times."""
        until_s = time.monotonic() + seconds

        def talk_on(party: Party) -> None:
            pace = PARTIES[party.name]
            most = None if acts is None else max(1, round(acts * pace.share))
            number = 0
            while number != most and time.monotonic() < until_s and not self._judge.over.is_set():
                rng = random.Random(f"{self._seed}/{party.name}/{number}")
                try:
                    self._perform(party, party.act(number, rng))
                except Exception:
                    self._judge.found("harness", traceback.format_exc())
                number += 1
                time.sleep(pace.pause_s)

        def talk(parties: Mapping[str, Party]) -> None:
            threads = [threading.Thread(target=talk_on, args=(parties[name],)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return self._judged(talk)

    def replay(self, acts: Iterable[Act]) -> dict[str, Any]:
        """Perform the acts of a transcript again, one after the other."""

        def talk(parties: Mapping[str, Party]) -> None:
            for act in acts:
                if not self._judge.over.is_set():
                    self._perform(parties[act.party], act)

        return self._judged(talk)

    # ------------------------------------------------------------ inside

    def _judged(self, talk: _Talk) -> dict[str, Any]:
        """Return what is recorded of the round: what `talk` did, and what was found."""
        began_s = time.monotonic()
        honest = Honest(self._system, self._judge, self._known, self._seed)
        verified = ""
        try:
            self._system.start()
            verified = self._talked(talk, honest)
        except BaseException:
            self._keep_logs()
            raise
        finally:
            self._judge.over.set()
            self._judge.stop()
            self._transcript.close()
            if self._judge.findings:
                self._keep_logs()
            else:
                (self._folder / TRANSCRIPT).unlink()
            self._system.close()
        return {
            "seed": self._seed,
            "recipe": self._recipe,
            "seconds": round(time.monotonic() - began_s),
            "honest_jobs": dict(honest.states),
            "honest_slowest_s": {name: round(s, 2) for name, s in honest.slowest_s.items()},
            "peak_mib": self._judge.peak_mib,
            "verified": verified,
            "said": self._transcript.counts(),
            "findings": [one.signature for one in self._judge.findings],
        }

    def _talked(self, talk: _Talk, honest: Honest) -> str:
        janitor = Janitor(self._system, self._judge, self._known)
        parties = make_parties(self._system, self._judge, self._known)
        self._judge.start()
        honest.start()
        janitor.start()
        try:
            talk(parties)
        finally:
            janitor.stop()
            honest.stop()
            for party in parties.values():
                party.close()
        if self._judge.over.is_set():
            return ""
        return settle(self._system, self._judge, honest, janitor, self._seed)

    def _perform(self, party: Party, act: Act) -> None:
        self._transcript.add(act)
        try:
            self._transcript.count(act, party.perform(act))
        except Exception:
            self._transcript.count(act, "harness failed")
            self._judge.found("harness", traceback.format_exc(), act)

    def _keep_logs(self) -> None:
        for name, path in self._system.logs().items():
            if path.exists():
                shutil.copy(path, self._folder / f"{name.replace(' ', '-')}.log")

    def _tell(self, finding: Finding) -> None:
        """Print a finding, and keep it."""
        text = "\n".join([str(finding), *(f"   said: {act}" for act in finding.acts)])
        print(f"\n== {text}", flush=True)
        print(f"   again: python -m tests.fuzz_system --round {self._seed}", flush=True)
        with (self._folder / "findings.txt").open("a") as file:
            file.write(f"{text}\n")
