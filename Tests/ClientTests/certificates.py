"""Self-signed certificates of servers on loopback."""

import base64
import datetime
import hashlib
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Certificate:
    file: Path
    key_file: Path
    # Base64 of the SHA-256 of the public key, as Chromium's option `--ignore-certificate-errors-spki-list` takes it.
    public_key_hash: str

    def server_context(self):
        """The TLS context of a server with this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file, self.key_file)
        return context


def create_certificate(folder, *hosts):
    """Creates a certificate for `localhost`, 127.0.0.1 and `hosts`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([
        *(x509.DNSName(host) for host in ("localhost", *hosts)), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1)).add_extension(names, critical=False)
        .sign(key, hashes.SHA256()))
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    created = Certificate(
        folder / "server.pem", folder / "server.key", base64.b64encode(hashlib.sha256(public).digest()).decode())
    created.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    created.key_file.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return created
