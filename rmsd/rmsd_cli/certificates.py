"""A private authority and the daemon's certificate, for clusters that have none of their own."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from rmsd_daemon.setup.state_dir import acting_for_owner

_CA_DAYS = 3650
_CERT_DAYS = 820
_A_DAY = timedelta(days=1)
_HOST_NAME = re.compile(r"(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.|$))+", re.ASCII)


def is_host(text: str) -> bool:
    """Return whether a certificate can be for this: an address, or a name of a host or a domain."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return len(text) <= 253 and _HOST_NAME.fullmatch(text) is not None and text[-1:] != "."
    return True


def names_of(folder: Path) -> list[str]:
    """Return the names and addresses that the certificate in `folder` is for; none if there is no
    certificate.

    Raises:
        OSError: the file cannot be read.
    """
    with acting_for_owner(folder.parent) as parent:
        try:
            cert = x509.load_pem_x509_certificate((parent / folder.name / "cert.pem").read_bytes())
            found = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except (FileNotFoundError, ValueError, x509.ExtensionNotFound):
            return []
    addresses = found.get_values_for_type(x509.IPAddress)
    return [*found.get_values_for_type(x509.DNSName), *map(str, addresses)]


def make(folder: Path, hosts: Sequence[str]) -> datetime:
    """Make a certificate for `hosts` (names and addresses) in `folder`; return when it expires. The
    files are `cert.pem`, `key.pem`, and those of the authority that signs it, `ca.pem` and
    `ca-key.pem`, which is made if there is none. Only their owner can read the keys. Root acts
    with the rights of the owner of the directory that `folder` is in, to whom the files belong.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: an existing file is no certificate or no key.
    """
    with acting_for_owner(folder.parent) as parent:
        return _make(parent / folder.name, hosts)


def _make(folder: Path, hosts: Sequence[str]) -> datetime:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    ca_path, ca_key_path = folder / "ca.pem", folder / "ca-key.pem"
    if not ca_path.exists():
        ca_key = ec.generate_private_key(ec.SECP256R1())
        _write(ca_key_path, _pem_of(ca_key), 0o600)
        _write(ca_path, _authority(ca_key).public_bytes(serialization.Encoding.PEM), 0o644)
    ca = x509.load_pem_x509_certificate(ca_path.read_bytes())
    loaded = serialization.load_pem_private_key(ca_key_path.read_bytes(), password=None)
    if not isinstance(loaded, ec.EllipticCurvePrivateKey):
        raise ValueError(f"{ca_key_path} is not a key that `rmsd tls new` has made")
    key = ec.generate_private_key(ec.SECP256R1())
    cert = _server(key, hosts, ca, loaded)
    _write(folder / "key.pem", _pem_of(key), 0o600)
    _write(folder / "cert.pem", cert.public_bytes(serialization.Encoding.PEM), 0o644)
    return cert.not_valid_after_utc


def _authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = _name("rmsd private authority")
    return (
        _begun(name, name, key, _CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )


def _server(
    key: ec.EllipticCurvePrivateKey,
    hosts: Sequence[str],
    ca: x509.Certificate,
    ca_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    return (
        _begun(_name("rmsd"), ca.subject, key, _CERT_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(list(map(_host, hosts))), critical=False)
        .add_extension(issuer, critical=False)
        .sign(ca_key, hashes.SHA256())
    )


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _A_DAY)  # other machines' clocks may be behind
        .not_valid_after(now + days * _A_DAY)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _pem_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file in one step; it is never readable by more accounts than in the end."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
    new.chmod(mode)  # the umask does not matter
    new.rename(path)
