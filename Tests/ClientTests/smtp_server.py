"""A scripted SMTP server on loopback that keeps the emails it receives."""

import email
import email.policy
import threading
from contextlib import contextmanager

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from gateway import free_port

FROM = "no-reply@auth.example.com"
SMTP_USER, SMTP_PASSWORD = "sekisho", "pass/word:1"


class SMTPServer:
    """Replies to each RCPT and each DATA with the next scripted reply, and with 250 after the last one.

    A scripted reply is a text, or a coroutine function that returns the text.
    """

    def __init__(self):
        # The emails that were accepted, and those that a scripted reply has recorded.
        self.received = []
        self.rcpt_replies = []
        self.data_replies = []
        # Used by `held_back` in test_email_delivery.py.
        self.reply_is_held = threading.Event()
        self.reply_may_continue = threading.Event()

    async def handle_RCPT(self, server, session, envelope, address, options):
        reply = self.rcpt_replies.pop(0) if self.rcpt_replies else None
        if reply is not None:
            return await reply(self, server) if callable(reply) else reply
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        reply = self.data_replies.pop(0) if self.data_replies else None
        if reply is None:
            self.received.append(ReceivedEmail(session, envelope))
            return "250 OK"
        return await reply(self, server, session, envelope) if callable(reply) else reply

    def authenticate(self, server, session, envelope, mechanism, auth_data):
        is_known = (auth_data.login, auth_data.password) == (SMTP_USER.encode(), SMTP_PASSWORD.encode())
        return AuthResult(success=is_known, handled=False)


class ReceivedEmail:
    """An email and the properties of the session that delivered it."""

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
    def content(self):
        """The content of the email without the random boundaries between its parts."""
        fields = {name: value for name, value in self.message.items() if name != "Content-Type"}
        return fields, self.part("plain"), self.part("html")


@contextmanager
def smtp_server_running(server, port=None, **options):
    """Runs `server` on a port of loopback and yields the port."""
    controller = Controller(
        server, hostname="127.0.0.1", port=port or free_port(), server_hostname="mail.test",
        authenticator=server.authenticate, **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def smtp_environment(port, **more):
    """The variables of a gateway that sends emails to an SMTP server on `port`."""
    return {"SEKISHO_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKISHO_EMAIL_FROM": FROM} | more
