"""A mail server on loopback that does as it is told, and what it has taken."""

import datetime
import email
import email.policy
import ipaddress
import ssl
import threading
from contextlib import contextmanager

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gateway import free_port

USER, PASSWORD = "sekisho", "pass/word:1"


class MailServer:
    """Answers each RCPT and each message with the next of what it was told, and then with a yes."""

    def __init__(self):
        self.taken = []
        self.recipients = []
        self.messages = []
        self.asked = threading.Event()
        self.released = threading.Event()

    async def handle_RCPT(self, server, session, envelope, address, options):
        answer = self.recipients.pop(0) if self.recipients else None
        if answer is not None:
            return await answer(self, server) if callable(answer) else answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        answer = self.messages.pop(0) if self.messages else None
        if answer is None:
            self.taken.append(Taken(session, envelope))
            return "250 OK"
        return await answer(self, server, session, envelope) if callable(answer) else answer

    def authenticate(self, server, session, envelope, mechanism, auth_data):
        is_known = (auth_data.login, auth_data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_known, handled=False)


class Taken:
    """One message, and how it came."""

    def __init__(self, session, envelope):
        self.sender = envelope.mail_from
        self.recipients = list(envelope.rcpt_tos)
        self.is_encrypted = session.ssl is not None
        self.is_authenticated = session.authenticated
        self.raw = envelope.content
        self.message = email.message_from_bytes(envelope.content, policy=email.policy.default)

    def part(self, kind):
        return self.message.get_body((kind,)).get_content()

    @property
    def essence(self):
        """All of it but the random boundaries between its parts."""
        fields = {name: value for name, value in self.message.items() if name != "Content-Type"}
        return fields, self.part("plain"), self.part("html")


@contextmanager
def serving(server, port=None, **options):
    """Serves on a port of loopback."""
    controller = Controller(
        server, hostname="127.0.0.1", port=port or free_port(), server_hostname="mail.test",
        authenticator=server.authenticate, **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def certificate(folder):
    """A certificate of its own making, for `localhost` and 127.0.0.1: its file, and the context that serves with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([
        x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1)).add_extension(names, critical=False)
        .sign(key, hashes.SHA256()))
    file, secret = folder / "mail.pem", folder / "mail.key"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, secret)
    return file, context
