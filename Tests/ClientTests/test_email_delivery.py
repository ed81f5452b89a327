"""Delivery of queued emails to a third-party SMTP server: at least once, with unchanged content."""

import asyncio
import json
import re
import secrets
import signal
from pathlib import Path
from urllib.parse import quote

import pytest

import gateway
from certificates import create_certificate
from client import Client, fresh_email
from emails import (
    account_id_of_code, delete_queued_emails, insert_action_code, make_due, queue_email, queue_row_eventually_deleted,
    queue_row_values, queued_email_count,
)
from gateway import eventually
from installation import sql
from smtp_server import (
    FROM, SMTP_PASSWORD, SMTP_USER, ReceivedEmail, SMTPServer, smtp_environment, smtp_server_running,
)

PASSWORD_IN_URL = quote(SMTP_PASSWORD, safe="")


@pytest.fixture(scope="module")
def installation(new_installation):
    return new_installation()


@pytest.fixture
def server():
    return SMTPServer()


@pytest.fixture
def sending_gateway(installation, server):
    """A gateway that delivers emails to `server`."""
    with smtp_server_running(server) as port, installation.serving(**smtp_environment(port)) as running:
        yield running


def queue_notice(installation, recipient="ada@example.org"):
    """Queues an email without a code."""
    return queue_email(installation, "notice.password-changed", recipient)


def queue_notices(installation, count):
    """Deletes all queued emails, and queues one for each of `count` recipients."""
    delete_queued_emails(installation)
    return [queue_notice(installation, f"ada{number}@example.org") for number in range(count)]


def recipients(server):
    return sorted(received.recipients[0] for received in server.received)


def wait_for_only_email(server):
    """Waits until the server has received an email, and returns it; fails if the server has received several."""
    assert eventually(lambda: server.received), "no email was received"
    [received] = server.received
    return received


@pytest.mark.parametrize(("language", "subject", "action"), [
    ("en", "Reset your password for demo", "open the link below"),
    ("ja", "【demo】パスワードの再設定", "次のリンクを開いて"),
])
def test_an_email_is_delivered_as_text_and_html_in_its_language(
        installation, server, sending_gateway, contract, language, subject, action):
    ada = Client(sending_gateway, contract).new_account()
    code = secrets.token_urlsafe(32)
    queued = queue_email(
        installation, "PASSWORD_RESET", ada["email"], code=code, language=language, apiKey="key",
        continueURL="https://app.example.com/?a=b&c")
    received = wait_for_only_email(server)
    link = (
        f"{installation.url}/__/auth/action?mode=resetPassword&oobCode={code}&apiKey=key&lang={language}"
        "&continueUrl=https%3A%2F%2Fapp.example.com%2F%3Fa%3Db%26c")
    assert (received.sender, received.recipients) == (FROM, [ada["email"]])
    assert received.message["Subject"] == subject
    assert received.message["From"] == f"demo <{FROM}>"
    assert received.message["To"] == ada["email"]
    assert received.message["Message-ID"] == f"<{queued.id}@auth.example.com>"
    assert received.message["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"\w{3}, \d+ \w{3} \d{4} \d\d:\d\d:\d\d \+0000", received.message["Date"])
    assert action in received.part("plain") and link in received.part("plain").splitlines()
    assert action in received.part("html") and link.replace("&", "&amp;") in received.part("html")
    assert all(len(line) <= 998 for line in received.raw.splitlines())
    assert account_id_of_code(installation, code) == ada["localId"]
    assert queue_row_eventually_deleted(installation, queued)


def test_the_logo_of_the_brand_is_part_of_the_email(installation, server, sending_gateway, tmp_path):
    logo = Path(__file__).parents[1] / "Fuzzing/Seeds/image/png"
    file = tmp_path / "project.json"

    def set_brand(brand):
        file.write_text(json.dumps({"project": "demo", "brand": brand}))
        installation.run_ok(f"projects apply {file}")

    set_brand({"name": "Acme", "color": "#ffcc00", "logoFile": str(logo), "supportUrl": "mailto:help@acme.example"})
    try:
        queue_notice(installation)
        received = wait_for_only_email(server)
    finally:
        set_brand(None)
    assert received.message["From"] == f"Acme <{FROM}>"
    [related] = [part for part in received.message.walk() if part.get_content_type() == "multipart/related"]
    html, image = related.iter_parts()
    assert html.get_content_type() == "text/html" and 'src="cid:logo"' in html.get_content()
    assert (image["Content-ID"], image.get_content_type(), image.get_content_disposition()) == (
        "<logo>", "image/png", "inline")
    assert image.get_payload(decode=True) == logo.read_bytes()
    assert received.part("plain").split()[-2:] == ["Acme", "help@acme.example"]


def test_emails_that_are_expired_or_have_no_valid_code_are_deleted_unsent(
        installation, server, sending_gateway, contract):
    ada = Client(sending_gateway, contract).new_account()
    unknown = queue_email(installation, "PASSWORD_RESET", fresh_email(), code="code-for-an-unknown-address")
    not_inserted = queue_email(
        installation, "VERIFY_EMAIL", ada["email"], code="not-inserted", account_id=ada["localId"])
    expired = queue_email(installation, "notice.password-changed", ada["email"], lifetime=-1)
    good = queue_email(
        installation, "VERIFY_EMAIL", ada["email"], account_id=ada["localId"],
        code=insert_action_code(installation, "VERIFY_EMAIL", ada["localId"], ada["email"]))
    for queued in (unknown, not_inserted, expired, good):
        assert queue_row_eventually_deleted(installation, queued)
    assert wait_for_only_email(server).message["Message-ID"] == f"<{good.id}@auth.example.com>"
    assert not account_id_of_code(installation, "code-for-an-unknown-address")


def test_emails_are_sent_with_starttls_and_authentication(installation, server, folder):
    trusted = create_certificate(folder)
    file, context = trusted.file, trusted.server_context()
    queued = queue_notice(installation)
    options = {"tls_context": context, "require_starttls": True, "auth_required": True}
    with smtp_server_running(server, **options) as port:
        url = f"smtp://{SMTP_USER}:{PASSWORD_IN_URL}@localhost:{port}"
        environment = smtp_environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))
        with installation.serving(**environment) as running:
            received = wait_for_only_email(server)
            assert received.is_encrypted and received.is_authenticated
            assert queue_row_eventually_deleted(installation, queued)
            # The gateway writes the line after it has deleted the row.
            assert eventually(lambda: queued.id in running.log.read_text())
            log = running.log.read_text()
    assert "ada@example.org" not in log
    assert SMTP_PASSWORD not in log and PASSWORD_IN_URL not in log


def test_emails_are_sent_with_implicit_tls(installation, server, folder):
    trusted = create_certificate(folder)
    file, context = trusted.file, trusted.server_context()
    queue_notice(installation)
    with smtp_server_running(server, ssl_context=context) as port:
        url = f"smtps://127.0.0.1:{port}"
        with installation.serving(**smtp_environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))):
            wait_for_only_email(server)


@pytest.mark.parametrize("server_has", ["no encryption", "an untrusted certificate"])
def test_nothing_is_sent_to_a_server_without_trusted_tls(installation, server, folder, server_has):
    """The gateway trusts only the certificate in `SEKISHO_SMTP_CA_FILE`.

    If this variable were not set, a connection with `smtp://` to this machine would need no TLS.
    """
    untrusted_folder = folder / secrets.token_hex(4)
    untrusted_folder.mkdir()
    file, context = create_certificate(folder).file, create_certificate(untrusted_folder).server_context()
    options = {} if server_has == "no encryption" else {"tls_context": context}
    queued = queue_notice(installation)
    with smtp_server_running(server, auth_require_tls=False, **options) as port:
        url = f"smtp://{SMTP_USER}:{PASSWORD_IN_URL}@localhost:{port}"
        with installation.serving(**smtp_environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))):
            assert eventually(lambda: "encryption" in queue_row_values(installation, queued, "failure"))
    assert server.received == []
    # Without `failed_at`, the email stays in the queue and is retried.
    assert queue_row_values(installation, queued, "failed_at") == ""
    delete_queued_emails(installation)


def test_an_email_to_a_permanently_rejected_recipient_is_given_up_and_listed(installation, server, sending_gateway):
    server.rcpt_replies = ["550 5.1.1 <ada@example.org> unknown"]
    queued = queue_notice(installation)
    assert eventually(lambda: queue_row_values(installation, queued, "failed_at"))
    assert queue_row_values(installation, queued, "failure") == "the mail server replied 550 to RCPT"
    assert server.received == []
    listed = installation.run_ok("email list")
    assert queued.id in listed and "550 to RCPT" in listed and "given up" in listed
    assert "ada@example.org" not in listed and "ada@example.org" not in sending_gateway.log.read_text()


def test_a_permanently_rejected_message_is_given_up(installation, server, sending_gateway):
    server.data_replies = ["554 5.7.1 spam"]
    queued = queue_notice(installation)
    assert eventually(lambda: queue_row_values(installation, queued, "failed_at"))
    assert queue_row_values(installation, queued, "failure") == "the mail server replied 554 to DATA"


def test_a_transiently_rejected_email_is_retried(installation, server, sending_gateway):
    server.rcpt_replies = ["451 4.7.1 try later"]
    queued = queue_notice(installation)
    failure = "the mail server replied 451 to RCPT"
    assert eventually(lambda: queue_row_values(installation, queued, "failure") == failure)
    # The first retry is due after 30 seconds, plus or minus 25 percent; some time has passed since.
    due_soon = "due_at > now() + interval '15 seconds' AND due_at < now() + interval '45 seconds'"
    assert queue_row_values(installation, queued, due_soon) == "t"
    make_due(installation, queued)
    assert wait_for_only_email(server).message["Message-ID"] == f"<{queued.id}@auth.example.com>"
    assert queue_row_eventually_deleted(installation, queued)


async def drop_connection(server, smtp, session, envelope):
    """Receives the whole message and closes the connection without a reply."""
    server.received.append(ReceivedEmail(session, envelope))
    smtp.transport.abort()
    await asyncio.sleep(0)
    return "250 OK"


def test_an_email_is_sent_again_unchanged_after_a_lost_connection(installation, server, sending_gateway, contract):
    ada = Client(sending_gateway, contract).new_account()
    server.data_replies = [drop_connection]
    queued = queue_email(installation, "PASSWORD_RESET", ada["email"], code="lost-connection", language="ja")
    assert eventually(lambda: queue_row_values(installation, queued, "failure") == "connection lost")
    make_due(installation, queued)
    assert eventually(lambda: len(server.received) == 2)
    first, second = server.received
    assert first.content == second.content


def test_a_code_used_between_attempts_does_not_become_valid_again(installation, server, sending_gateway, contract):
    ada = Client(sending_gateway, contract).new_account()
    server.data_replies = [drop_connection]
    queued = queue_email(installation, "PASSWORD_RESET", ada["email"], code="used-meanwhile")
    assert eventually(lambda: queue_row_values(installation, queued, "failure") == "connection lost")
    sql(installation.database_url, f"DELETE FROM oob_code WHERE account_id = '{ada['localId']}'")
    make_due(installation, queued)
    assert queue_row_eventually_deleted(installation, queued)
    assert not account_id_of_code(installation, "used-meanwhile")
    assert len(server.received) == 1


def test_emails_stay_queued_until_the_server_is_reachable(installation, server):
    port = gateway.free_port()
    with installation.serving(**smtp_environment(port)):
        waiting = queue_notices(installation, 20)
        assert eventually(lambda: queued_email_count(installation, "failure IS NULL") == 0)
        with smtp_server_running(server, port):
            make_due(installation, *waiting)
            assert eventually(lambda: queued_email_count(installation) == 0)
    assert recipients(server) == sorted(queued.recipient for queued in waiting)


def held_back(reply):
    """A reply that is sent only after `reply_may_continue` is set; sets `reply_is_held` first."""

    async def hold(server, smtp, *session_and_envelope):
        # A reply to DATA gets the session and the envelope, a reply to RCPT neither of them.
        if len(session_and_envelope) == 2:
            server.received.append(ReceivedEmail(*session_and_envelope))
        server.reply_is_held.set()
        while not server.reply_may_continue.is_set():
            await asyncio.sleep(0.05)
        return reply

    return hold


@pytest.mark.parametrize("moment", ["before the message", "after the message"])
def test_the_email_of_a_killed_gateway_is_sent_by_the_next(installation, server, moment):
    if moment == "before the message":
        server.rcpt_replies = [held_back("451 too late")]
    else:
        server.data_replies = [held_back("250 OK")]
    queued = queue_notice(installation)
    with smtp_server_running(server) as port:
        with installation.serving(**smtp_environment(port)) as first:
            assert server.reply_is_held.wait(30)
            gateway.stop(first.process, signal.SIGKILL)
        server.reply_may_continue.set()
        # The first gateway has claimed the email; the next attempt is due later.
        assert queue_row_values(installation, queued, "attempts, due_at > now()") == "1|t"
        with installation.serving(**smtp_environment(port)) as second:
            make_due(installation, queued)
            assert queue_row_eventually_deleted(installation, queued)
            assert second.process.poll() is None
    assert {received.message["Message-ID"] for received in server.received} == {f"<{queued.id}@auth.example.com>"}
    assert len(server.received) == (1 if moment == "before the message" else 2)
    assert len({str(received.content) for received in server.received}) == 1


def test_a_delivery_in_progress_is_finished_before_the_gateway_exits(installation, server):
    server.data_replies = [held_back("250 OK")]
    queued = queue_notice(installation)
    with smtp_server_running(server) as port, installation.serving(**smtp_environment(port)) as running:
        assert server.reply_is_held.wait(30)
        running.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: running.is_ready() is None)
        server.reply_may_continue.set()
        assert running.process.wait(gateway.STOP_TIMEOUT_SECONDS) == 0
    wait_for_only_email(server)
    assert queue_row_values(installation, queued, "id") == ""


def test_a_silent_server_delays_neither_requests_nor_the_exit(installation, server):
    server.data_replies = [held_back("250 OK")]
    queued = queue_notice(installation)
    settings = {"SEKISHO_DRAIN_SECONDS": "1"}
    with smtp_server_running(server) as port, installation.serving(**smtp_environment(port, **settings)) as running:
        assert server.reply_is_held.wait(30)
        assert all(running.is_ready() for _ in range(20))
        assert gateway.stop(running.process, signal.SIGTERM) == 0
        server.reply_may_continue.set()
    assert queue_row_values(installation, queued, "failure, due_at <= now()") == "the delivery was stopped|t"
    delete_queued_emails(installation)


@pytest.mark.slow
def test_two_gateways_send_each_email_once(installation, server):
    waiting = queue_notices(installation, 40)
    with smtp_server_running(server) as port:
        environment = smtp_environment(port)
        with installation.serving(**environment), installation.second_gateway().serving(**environment):
            assert eventually(lambda: queued_email_count(installation) == 0)
    assert recipients(server) == sorted(queued.recipient for queued in waiting)


def test_no_email_is_sent_if_no_server_is_configured(installation):
    queued = queue_notice(installation)
    with installation.serving():
        assert "email: disabled" in installation.run_ok("check")
    assert queue_row_values(installation, queued, "attempts") == "0"
    delete_queued_emails(installation)


def test_the_command_email_test_sends_an_email(server):
    with smtp_server_running(server) as port:
        completed = gateway.run_sekisho("email", "test", "ada@example.org", **smtp_environment(port))
        assert (completed.returncode, completed.stdout) == (0, f"accepted by 127.0.0.1:{port}\n")
        assert wait_for_only_email(server).message["Subject"] == "Sekisho: test"
        server.rcpt_replies = ["550 no"]
        completed = gateway.run_sekisho("email", "test", "ada@example.org", **smtp_environment(port))
        assert completed.returncode == 1
        assert "permanently rejected by" in completed.stderr and "550 to RCPT" in completed.stderr
    completed = gateway.run_sekisho("email", "test", "ada@example.org", **smtp_environment(port))
    assert completed.returncode == 1 and "mail server not reachable" in completed.stderr


@pytest.mark.parametrize(("settings", "message"), [
    ({"SEKISHO_SMTP_URL": "smtp://mail.example.com"}, "SEKISHO_EMAIL_FROM: is not set"),
    ({"SEKISHO_EMAIL_FROM": FROM}, "SEKISHO_SMTP_URL: is not set"),
    ({"SEKISHO_SMTP_URL": "http://mail.example.com", "SEKISHO_EMAIL_FROM": FROM}, "SEKISHO_SMTP_URL: expected smtp://"),
    ({"SEKISHO_SMTP_URL": "smtp://mail.example.com", "SEKISHO_EMAIL_FROM": "no-address"},
     "SEKISHO_EMAIL_FROM: expected"),
])
def test_an_incomplete_or_invalid_configuration_is_rejected(installation, settings, message):
    completed = installation.run("check", **settings)
    assert completed.returncode == 2 and message in completed.stderr
