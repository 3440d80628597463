"""The certificate of the daemon, which every connection over TCP needs."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from rmsd_daemon.setup.reloading import Configuration
from rmsd_process.tls_content import TlsContext

log = structlog.get_logger()

_SOON = timedelta(days=14)


class TlsError(Exception):
    """The certificate or the key cannot be used; the message says why and what to do."""


class Tls:
    """The daemon's certificate `cert` (a chain in PEM) and its key, as they are in the files.
    context: of new connections. refused: why the latest files are not used; "" if they are.

    Raises:
        TlsError: the files cannot be read, or do not belong together.
    """

    def __init__(self, cert: Path, key: Path) -> None:
        self._cert, self._key = cert, key
        self.refused = ""
        self.context = self._load()

    def reload(self) -> None:
        """Use the present files for new connections. If they are not usable, keep the certificate
        and the key in use."""
        try:
            self.context = self._load()
        except TlsError as error:
            self.refused = str(error)
            log.error("certificate-refused", error=self.refused)
        else:
            self.refused = ""
            log.info("certificate-loaded", file=str(self._cert))

    def _load(self) -> ssl.SSLContext:
        """Return a new context. A context into which loading has failed has the new certificate and
        no key, and no handshake succeeds any more."""
        for path in (self._cert, self._key):
            if not path.exists():
                raise TlsError(
                    f"TCP needs TLS, and there is no {path}; `rmsd tls new` makes certificate and "
                    "key, or say with tls_cert and tls_key where yours are"
                )
        if self._key.stat().st_mode & 0o077:
            raise TlsError(f"{self._key} must not be accessible to others; chmod 600 it")
        context = TlsContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self._cert, self._key, _no_passphrase)
            self._warn_of_expiry()
        except (ValueError, OSError) as error:
            raise TlsError(f"{self._cert} with {self._key}: {error}") from error
        return context

    def _warn_of_expiry(self) -> None:
        from cryptography import x509  # imported here: a start without TLS does not need it

        ends = x509.load_pem_x509_certificate(self._cert.read_bytes()).not_valid_after_utc
        now = datetime.now(UTC)
        if ends <= now:
            log.error("certificate-expired", file=str(self._cert), at=f"{ends:%Y-%m-%d}")
        elif ends <= now + _SOON:
            log.warning("certificate-expires", file=str(self._cert), at=f"{ends:%Y-%m-%d}")


def _no_passphrase() -> str:
    """Refuse a key that is encrypted: OpenSSL would ask for the passphrase on the terminal, and
    all requests would wait for it."""
    raise ValueError("the key is encrypted, and rmsd asks for no passphrase")


def refused_reloads(configuration: Configuration, tls: Tls | None) -> list[str]:
    """Return why the latest SIGHUP has left the configuration or the certificate as it was."""
    return [why for why in (configuration.refused, "" if tls is None else tls.refused) if why]
