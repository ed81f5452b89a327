"""Mail goes out, through a mail server that nobody here wrote: at least once, always the same, and to nobody else."""

import asyncio
import re
import secrets
import signal
from urllib.parse import quote

import pytest

import gateway
from exchange import Client, fresh_email
from gateway import eventually
from installation import Installation, new_database, sql
from letters import clear, hurry, is_gone, issue, post, row, stands
from mail_server import PASSWORD, USER, MailServer, Taken, certificate, serving

FROM = "no-reply@auth.example.com"
ENCODED = quote(PASSWORD, safe="")


@pytest.fixture(scope="module")
def mailing(folder, dev):
    return Installation(folder, new_database(dev.database_url)).with_project()


@pytest.fixture
def server():
    return MailServer()


def environment(port, **more):
    return {"SEKISHO_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKISHO_MAIL_FROM": FROM} | more


@pytest.fixture
def sending(mailing, server):
    """A gateway that sends to the server."""
    with serving(server) as port, mailing.serving(**environment(port)) as running:
        yield running


def only(server):
    assert eventually(lambda: server.taken), "nothing came"
    [taken] = server.taken
    return taken


@pytest.mark.parametrize(("language", "subject", "action"), [
    ("en", "Reset your password for demo", "Follow the link"),
    ("ja", "【demo】パスワードの再設定", "次のリンクを開いて"),
])
def test_a_letter_arrives_as_text_and_html_in_its_language(mailing, server, sending, contract, language, subject, action):
    ada = Client(sending, contract).ada()
    code = secrets.token_urlsafe(32)
    letter = post(
        mailing, "PASSWORD_RESET", ada["email"], code=code, language=language, apiKey="key",
        continueURL="https://app.example.com/?a=b&c")
    taken = only(server)
    link = (
        f"{mailing.url}/__/auth/action?mode=resetPassword&oobCode={code}&apiKey=key&lang={language}"
        "&continueUrl=https%3A%2F%2Fapp.example.com%2F%3Fa%3Db%26c")
    assert (taken.sender, taken.recipients) == (FROM, [ada["email"]])
    assert taken.message["Subject"] == subject
    assert taken.message["From"] == f"demo <{FROM}>"
    assert taken.message["To"] == ada["email"]
    assert taken.message["Message-ID"] == f"<{letter.id}@auth.example.com>"
    assert taken.message["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"\w{3}, \d+ \w{3} \d{4} \d\d:\d\d:\d\d \+0000", taken.message["Date"])
    assert action in taken.part("plain") and link in taken.part("plain").splitlines()
    assert action in taken.part("html") and link.replace("&", "&amp;") in taken.part("html")
    assert all(len(line) <= 998 for line in taken.raw.splitlines())
    assert stands(mailing, code) == ada["localId"]
    assert is_gone(mailing, letter)


def test_what_nobody_needs_any_more_is_not_sent(mailing, server, sending, contract):
    ada = Client(sending, contract).ada()
    unknown = post(mailing, "PASSWORD_RESET", fresh_email(), code="nobody-has-this-address")
    void = post(mailing, "VERIFY_EMAIL", ada["email"], code="void", account=ada["localId"])
    expired = post(mailing, "notice.password-changed", ada["email"], lasting=-1)
    good = post(
        mailing, "VERIFY_EMAIL", ada["email"], account=ada["localId"],
        code=issue(mailing, "VERIFY_EMAIL", ada["localId"], ada["email"]))
    for letter in (unknown, void, expired, good):
        assert is_gone(mailing, letter)
    assert only(server).message["Message-ID"] == f"<{good.id}@auth.example.com>"
    assert not stands(mailing, "nobody-has-this-address")


def test_mail_is_encrypted_and_authenticated(mailing, server, folder):
    file, context = certificate(folder)
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    options = {"tls_context": context, "require_starttls": True, "auth_required": True}
    with serving(server, **options) as port:
        url = f"smtp://{USER}:{ENCODED}@localhost:{port}"
        with mailing.serving(**environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))) as running:
            taken = only(server)
            assert taken.is_encrypted and taken.is_authenticated
            assert is_gone(mailing, letter)
            log = running.log.read_text()
    assert letter.id in log and "ada@example.org" not in log
    assert PASSWORD not in log and ENCODED not in log


def test_mail_goes_to_a_server_that_is_encrypted_from_the_first_byte(mailing, server, folder):
    file, context = certificate(folder)
    post(mailing, "notice.password-changed", "ada@example.org")
    with serving(server, ssl_context=context) as port:
        url = f"smtps://127.0.0.1:{port}"
        with mailing.serving(**environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))):
            only(server)


@pytest.mark.parametrize("server_has", ["no encryption", "a certificate of somebody else's"])
def test_nothing_is_told_to_a_server_that_cannot_be_believed(mailing, server, folder, server_has):
    other = folder / secrets.token_hex(4)
    other.mkdir()
    file, _ = certificate(folder)
    _, context = certificate(other)
    options = {} if server_has == "no encryption" else {"tls_context": context}
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    with serving(server, auth_require_tls=False, **options) as port:
        url = f"smtp://{USER}:{ENCODED}@localhost:{port}"
        with mailing.serving(**environment(port, SEKISHO_SMTP_URL=url, SEKISHO_SMTP_CA_FILE=str(file))):
            assert eventually(lambda: "encryption" in row(mailing, letter, "failure"))
    assert server.taken == [] and row(mailing, letter, "failed_at") == ""
    clear(mailing)


def test_a_recipient_refused_for_good_is_given_up_and_shown_to_the_operator(mailing, server, sending):
    server.recipients = ["550 5.1.1 <ada@example.org> unknown"]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    assert eventually(lambda: row(mailing, letter, "failed_at"))
    assert row(mailing, letter, "failure") == "550 to RCPT"
    assert server.taken == []
    listed = mailing.done("mail list")
    assert letter.id in listed and "550 to RCPT" in listed and "given up" in listed
    assert "ada@example.org" not in listed and "ada@example.org" not in sending.log.read_text()


def test_a_message_refused_for_good_is_given_up(mailing, server, sending):
    server.messages = ["554 5.7.1 spam"]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    assert eventually(lambda: row(mailing, letter, "failed_at"))
    assert row(mailing, letter, "failure") == "554 to DATA"


def test_what_is_refused_for_now_is_sent_later(mailing, server, sending):
    server.recipients = ["451 4.7.1 try later"]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    assert eventually(lambda: row(mailing, letter, "failure") == "451 to RCPT")
    assert row(mailing, letter, "due_at > now() + interval '15 seconds' AND due_at < now() + interval '45 seconds'") == "t"
    hurry(mailing, letter)
    assert only(server).message["Message-ID"] == f"<{letter.id}@auth.example.com>"
    assert is_gone(mailing, letter)


async def cut(server, smtp, session, envelope):
    """Takes all of the message and hangs up."""
    server.taken.append(Taken(session, envelope))
    smtp.transport.abort()
    await asyncio.sleep(0)
    return "250 OK"


def test_a_dropped_connection_costs_nothing_and_changes_nothing(mailing, server, sending, contract):
    ada = Client(sending, contract).ada()
    server.messages = [cut]
    letter = post(mailing, "PASSWORD_RESET", ada["email"], code="code-of-the-dropped", language="ja")
    assert eventually(lambda: row(mailing, letter, "failure") == "connection lost")
    hurry(mailing, letter)
    assert eventually(lambda: len(server.taken) == 2)
    first, second = server.taken
    assert first.essence == second.essence


def test_a_code_that_was_used_meanwhile_does_not_come_back(mailing, server, sending, contract):
    ada = Client(sending, contract).ada()
    server.messages = [cut]
    letter = post(mailing, "PASSWORD_RESET", ada["email"], code="used-meanwhile")
    assert eventually(lambda: row(mailing, letter, "failure") == "connection lost")
    sql(mailing.database_url, f"DELETE FROM oob_code WHERE account_id = '{ada['localId']}'")
    hurry(mailing, letter)
    assert is_gone(mailing, letter)
    assert not stands(mailing, "used-meanwhile")
    assert len(server.taken) == 1


def test_mail_waits_for_a_server_that_is_down(mailing, server):
    port = gateway.free_port()
    with mailing.serving(**environment(port)):
        waiting = [post(mailing, "notice.password-changed", f"ada{number}@example.org") for number in range(20)]
        assert eventually(lambda: all(row(mailing, letter, "failure") for letter in waiting))
        with serving(server, port):
            for letter in waiting:
                hurry(mailing, letter)
            assert all(is_gone(mailing, letter) for letter in waiting)
    assert sorted(taken.recipients[0] for taken in server.taken) == sorted(letter.recipient for letter in waiting)


def held(answer):
    """Tells that it was asked, and answers when it is let go."""

    async def hold(server, smtp, *session_and_envelope):
        if len(session_and_envelope) == 2:
            server.taken.append(Taken(*session_and_envelope))
        server.asked.set()
        while not server.released.is_set():
            await asyncio.sleep(0.05)
        return answer

    return hold


@pytest.mark.parametrize("moment", ["before the message", "after the message"])
def test_a_killed_gateway_leaves_its_letter_to_the_next(mailing, server, moment):
    if moment == "before the message":
        server.recipients = [held("451 too late")]
    else:
        server.messages = [held("250 OK")]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    with serving(server) as port:
        with mailing.serving(**environment(port)) as first:
            assert server.asked.wait(30)
            gateway.ended(first.process, signal.SIGKILL)
        server.released.set()
        assert row(mailing, letter, "attempts, due_at > now()") == "1|t"
        with mailing.serving(**environment(port)) as second:
            hurry(mailing, letter)
            assert is_gone(mailing, letter)
            assert second.process.poll() is None
    assert {taken.message["Message-ID"] for taken in server.taken} == {f"<{letter.id}@auth.example.com>"}
    assert len(server.taken) == (1 if moment == "before the message" else 2)
    assert len({str(taken.essence) for taken in server.taken}) == 1


def test_what_is_under_way_is_finished_before_the_gateway_ends(mailing, server):
    server.messages = [held("250 OK")]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    with serving(server) as port, mailing.serving(**environment(port)) as running:
        assert server.asked.wait(30)
        running.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: running.is_ready() is None)
        server.released.set()
        assert running.process.wait(gateway.STOP_SECONDS) == 0
    only(server)
    assert row(mailing, letter, "id") == ""


def test_a_mail_server_that_says_nothing_holds_up_nobody_and_is_left_in_the_end(mailing, server):
    server.messages = [held("250 OK")]
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    with serving(server) as port, mailing.serving(**environment(port, SEKISHO_DRAIN_SECONDS="1")) as running:
        assert server.asked.wait(30)
        assert all(running.is_ready() for _ in range(20))
        assert gateway.ended(running.process, signal.SIGTERM) == 0
        server.released.set()
    assert row(mailing, letter, "failure, due_at <= now()") == "stopped|t"
    clear(mailing)


def test_two_gateways_send_a_letter_once(mailing, server):
    waiting = [post(mailing, "notice.password-changed", f"ada{number}@example.org") for number in range(40)]
    with serving(server) as port:
        with mailing.serving(**environment(port)), mailing.replica().serving(**environment(port)):
            assert all(is_gone(mailing, letter) for letter in waiting)
    assert sorted(taken.recipients[0] for taken in server.taken) == sorted(letter.recipient for letter in waiting)


def test_nothing_is_sent_without_a_server(mailing):
    letter = post(mailing, "notice.password-changed", "ada@example.org")
    with mailing.serving():
        assert "none is sent" in mailing.done("check")
    assert row(mailing, letter, "attempts") == "0"
    clear(mailing)


def test_the_operator_can_try_it(server):
    with serving(server) as port:
        ran = gateway.run("mail", "test", "ada@example.org", **environment(port))
        assert (ran.returncode, ran.stdout) == (0, f"accepted by 127.0.0.1:{port}\n")
        assert only(server).message["Subject"] == "Sekisho: test"
        server.recipients = ["550 no"]
        ran = gateway.run("mail", "test", "ada@example.org", **environment(port))
        assert ran.returncode == 1 and "refused for good by" in ran.stderr and "550 to RCPT" in ran.stderr
    ran = gateway.run("mail", "test", "ada@example.org", **environment(port))
    assert ran.returncode == 1 and "mail server not reachable" in ran.stderr


@pytest.mark.parametrize(("settings", "complaint"), [
    ({"SEKISHO_SMTP_URL": "smtp://mail.example.com"}, "SEKISHO_MAIL_FROM is not set"),
    ({"SEKISHO_MAIL_FROM": FROM}, "SEKISHO_SMTP_URL is not set"),
    ({"SEKISHO_SMTP_URL": "http://mail.example.com", "SEKISHO_MAIL_FROM": FROM}, "SEKISHO_SMTP_URL must be smtp://"),
    ({"SEKISHO_SMTP_URL": "smtp://mail.example.com", "SEKISHO_MAIL_FROM": "nobody"}, "SEKISHO_MAIL_FROM must be"),
])
def test_half_a_configuration_is_refused(mailing, settings, complaint):
    ran = mailing.run("check", **settings)
    assert ran.returncode == 2 and complaint in ran.stderr
