"""Blocking functions as Deploy/guides/hooks.md describes them, with the code of the guide and Firebase's libraries."""

import base64
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from fido2.cose import ES256

import gateway
from client import ADMIN_HEADERS, PASSWORD, Client, fresh_email, ok_body, unverified_claims
from conftest import new_folder
from documents import GUIDES, code_block
from firebase_node import SCRIPTS, SDK_FOLDER, requires_node_sdk
from gateway import CONFIGURATION_DELAY_SECONDS, eventually, free_port
from installation import new_database
from simulators import Simulators, fresh_person, idp_sign_in_body
from software_authenticator import Authenticator
from test_passkey_authenticators import Ceremonies
from test_stock_messages import custom_token as unsigned_custom_token
from test_telephone import fresh_number, verification_codes

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "hooks.md"


@contextmanager
def function(answer):
    """Serves a blocking function. Yields its URL, and the list of the requests' bodies."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(json.loads(body))
            status, reply = answer(body)
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/function", bodies
    finally:
        server.shutdown()


def configure(url, functions):
    """Sets the functions, and waits until every event loop knows them."""
    response = requests.patch(
        f"{url}/v2/projects/demo/config?updateMask=blockingFunctions", headers=ADMIN_HEADERS,
        json={"blockingFunctions": {"triggers": {name: {"functionUri": uri} for name, uri in functions.items()}}},
        timeout=30)
    assert response.status_code == 200, response.text
    time.sleep(CONFIGURATION_DELAY_SECONDS)


def sign_up(url, email):
    return requests.post(
        f"{url}/v1/accounts:signUp?key=any", json={"email": email, "password": "secret12", "returnSecureToken": True},
        timeout=90)


def test_the_code_of_the_guide_vetoes_sign_ups(dev, folder):
    code = {}
    exec(code_block(GUIDE, "Answer"), code)
    with gateway.dev(new_folder(folder), "--signed-tokens", "--database-url", new_database(dev.database_url)) as running:
        seen = {}

        def answer(body):
            return code["answer"](body, f"{running.url}/demo/.well-known/jwks.json", seen["url"])

        with function(answer) as (url, _):
            seen["url"] = url
            completed = subprocess.run(
                ["bash", "-c", code_block(GUIDE, "Configure the functions")], capture_output=True, text=True,
                timeout=60, env={**os.environ, "SEKISHO_URL": running.url, "PROJECT": "demo", "SERVICE_KEY": "owner",
                                 "FUNCTION_URL": url})
            assert json.loads(completed.stdout)["blockingFunctions"]["triggers"]["beforeCreate"]["functionUri"] == url
            refused = sign_up(running.url, "eve@elsewhere.example")
            assert refused.status_code == 400
            message = refused.json()["error"]["message"]
            assert message.startswith("BLOCKING_FUNCTION_ERROR_RESPONSE") and "Only members can sign up." in message
            accepted = sign_up(running.url, "ada@example.com")
            assert accepted.status_code == 200, accepted.text
            users = requests.post(
                f"{running.url}/v1/accounts:lookup?key=any", json={"idToken": accepted.json()["idToken"]},
                timeout=30).json()["users"]
            assert users[0]["displayName"] == "Member"


# Each way to sign in that asks functions. The first call of `prepare` has asked none that matters; what it returns
# signs in.
def password_sign_up(client, simulators):
    return lambda: client.new_account()


def password_sign_in(client, simulators):
    email = fresh_email()
    client.sign_up(email=email, password=PASSWORD)
    return lambda: ok_body(client.call("signInWithPassword", {"email": email, "password": PASSWORD}))


def email_link(client, simulators):
    email = fresh_email()
    ok_body(client.call("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email}))
    [code] = client.gateway.action_codes(email, "EMAIL_SIGNIN")
    return lambda: ok_body(client.call("signInWithEmailLink", {"email": email, "oobCode": code["oobCode"]}))


def apple(client, simulators):
    signed_in = simulators.sign_in_with_apple()
    return lambda: ok_body(client.call("signInWithIdp", idp_sign_in_body(signed_in)))


def telephone(client, simulators):
    number = fresh_number()
    sent = ok_body(client.call("sendVerificationCode", {"phoneNumber": number}))
    [code] = verification_codes(client, number)
    return lambda: ok_body(client.call("signInWithPhoneNumber", sent | {"code": code["code"]}))


def passkey_sign_up(client, simulators):
    return lambda: Ceremonies(client, Authenticator(ES256)).sign_up()


def passkey_sign_in(client, simulators):
    ceremonies = Ceremonies(client, Authenticator(ES256))
    ceremonies.sign_up()
    return ceremonies.sign_in


def anonymous(client, simulators):
    return lambda: client.sign_up()


def custom_token(client, simulators):
    token = unsigned_custom_token(fresh_email().split("@")[0])
    return lambda: ok_body(client.call("signInWithCustomToken", {"token": token}))


BOTH, SIGN_IN = ["beforeCreate", "beforeSignIn"], ["beforeSignIn"]
ALL_EVENTS = [*BOTH, "beforeSendEmail", "beforeSendSms"]
WAYS = [
    (password_sign_up, "password", BOTH), (password_sign_in, "password", SIGN_IN), (email_link, "emailLink", BOTH),
    (apple, "apple.com", BOTH), (telephone, "phone", BOTH), (passkey_sign_up, "passkey", BOTH),
    (passkey_sign_in, "passkey", SIGN_IN), (anonymous, None, []), (custom_token, None, []),
]
EACH_WAY = pytest.mark.parametrize(("prepare", "method", "events"), WAYS, ids=[way[0].__name__ for way in WAYS])


@contextmanager
def process(*words, **environment):
    """Runs a server. Yields a list to which its JSON objects and other lines are added."""
    lines, decoder = [], json.JSONDecoder()
    running = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | environment)

    def read():
        for line in running.stdout:
            # Two threads of the server can write into one line.
            while line.startswith("{"):
                value, end = decoder.raw_decode(line)
                lines.append(value)
                line = line[end:].lstrip()
            if line:
                lines.append(line)

    threading.Thread(target=read, daemon=True).start()
    try:
        yield lines
    finally:
        running.terminate()
        running.wait(30)


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def configured_dev(folder, dev, functions):
    with gateway.dev(new_folder(folder), "--database-url", new_database(dev.database_url)) as running:
        configure(running.url, functions)
        yield running


@pytest.fixture(scope="module")
def node(folder, dev):
    """`sekisho dev` with the handlers of firebase-functions for Node, and the events that they got."""
    with process("node", str(SCRIPTS / "functions.cjs"), str(SDK_FOLDER / "firebase-functions.cjs")) as lines:
        port = eventually(lambda: next((line["port"] for line in lines if "port" in line), None))
        assert port, lines
        functions = {name: f"http://127.0.0.1:{port}/{name}" for name in ALL_EVENTS}
        with configured_dev(folder, dev, functions) as running:
            running.functions = functions
            yield running, lines


def names_of(lines, *names):
    return [line["name"] for line in lines if isinstance(line, dict) and line.get("name") in names]


@requires_node_sdk("firebase-functions.cjs")
@EACH_WAY
def test_handlers_of_firebase_functions_for_node_run_unchanged(prepare, method, events, node, contract):
    running, lines = node
    client = Client(running, contract)
    sign_in = prepare(client, Simulators(running))
    del lines[:]
    session = sign_in()
    claims = unverified_claims(session["idToken"])
    assert names_of(lines, *BOTH) == events
    if not events:
        return
    event = next(line["event"] for line in lines if line.get("name") == events[-1])
    assert event["data"]["uid"] == claims["sub"]
    assert event["ipAddress"] == "127.0.0.1" and event["userAgent"].startswith("python-requests")
    assert event["additionalUserInfo"]["providerId"] == ("password" if method == "emailLink" else method)
    assert event["eventType"].endswith(f":{method}") or method in event["eventType"]
    assert claims["ip"] == "127.0.0.1"
    account = client.lookup(session)
    if "beforeCreate" in events:
        assert (account["displayName"], account["photoUrl"]) == ("Member", "https://photos.example/1")


@requires_node_sdk("firebase-functions.cjs")
def test_handlers_for_emails_and_text_messages_of_firebase_functions_for_node(node, contract):
    running, lines = node
    client = Client(running, contract)
    del lines[:]
    email = fresh_email()
    for kind in ("EMAIL_SIGNIN", "PASSWORD_RESET"):
        client.call("sendOobCode", {"requestType": kind, "email": email})
    ok_body(client.call("sendVerificationCode", {"phoneNumber": fresh_number()}))
    assert names_of(lines, "beforeSendEmail", "beforeSendSms") == ["beforeSendEmail"] * 2 + ["beforeSendSms"]
    assert [line["event"].get("emailType") for line in lines][:2] == ["EMAIL_SIGN_IN", "PASSWORD_RESET"]
    assert lines[0]["event"]["additionalUserInfo"]["email"] == email
    assert lines[2]["event"]["smsType"] == "SIGN_IN_OR_SIGN_UP"
    refused = client.call("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "eve@example.com"})
    assert refused.code == "BLOCKING_FUNCTION_ERROR_RESPONSE" and "Only members" in refused.body["error"]["message"]
    assert running.action_codes("eve@example.com") == []


@requires_node_sdk("firebase-functions.cjs")
def test_a_refusal_of_firebase_functions_for_node_reaches_the_app(node, contract):
    client = Client(node[0], contract)
    refused = client.call("signUp", {"email": "eve@example.com", "password": PASSWORD})
    assert (refused.status, refused.code) == (400, "BLOCKING_FUNCTION_ERROR_RESPONSE")
    message = refused.body["error"]["message"]
    assert message.startswith("BLOCKING_FUNCTION_ERROR_RESPONSE : ((HTTP request to http://127.0.0.1:")
    assert "returned HTTP error 403" in message and "Only members" in message


@requires_node_sdk("firebase-functions.cjs")
@pytest.mark.parametrize("event", ALL_EVENTS)
def test_the_command_calls_handlers_of_firebase_functions_for_node(event, node, folder, dev):
    served, lines = node
    path = new_folder(folder)
    with gateway.dev(path, "--signed-tokens", "--database-url", new_database(dev.database_url)) as running:
        sign_up(running.url, "ada@example.com")
        configure(running.url, {event: served.functions[event]})
        del lines[:]

        def run():
            completed = gateway.run_sekisho(
                "hooks", "test", event, "--project", "demo", "--dev", "--signed-tokens", "--data", str(path / "data"),
                DATABASE_URL=running.database_url)
            assert completed.returncode == 0, completed.stderr
            return json.loads(completed.stdout)

        trials = [run(), run()]
        for trial in trials:
            assert (trial["status"], trial["result"]) == (200, "allowed"), trial
            claims = trial["claims"]
            assert claims["event_type"] == event and claims["aud"].endswith(f"/{event}")
        assert trials[0]["claims"]["event_id"] != trials[1]["claims"]["event_id"]
        got = [line["event"]["eventId"] for line in lines if isinstance(line, dict) and line.get("name") == event]
        assert got == [trial["claims"]["event_id"] for trial in trials]
        assert running.action_codes("test@example.com") == [], "nothing is sent"


@pytest.mark.parametrize("options", [(), ("--signed-tokens",)])
def test_the_command_sends_the_token_that_a_sign_up_in_dev_sends(options, folder, dev):
    def answer(body):
        return 200, {}

    path = new_folder(folder)
    with function(answer) as (url, bodies), \
            gateway.dev(path, *options, "--database-url", new_database(dev.database_url)) as running:
        configure(running.url, {"beforeCreate": url})
        assert sign_up(running.url, "ada@example.com").status_code == 200
        tested = gateway.run_sekisho(
            "hooks", "test", "beforeCreate", "--project", "demo", "--dev", *options, "--data", str(path / "data"),
            DATABASE_URL=running.database_url)
        assert tested.returncode == 0, tested.stderr
        sent, tried = (body["data"]["jwt"] for body in bodies)
        headers = [json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "==")) for token in (sent, tried)]
        algorithms = [header["alg"] for header in headers]
        assert algorithms == ["ES256" if options else "none"] * 2
        ours, theirs = unverified_claims(sent), unverified_claims(tried)
        assert [ours[name] for name in ("iss", "aud", "event_type")] == [
            theirs[name] for name in ("iss", "aud", "event_type")]
    elsewhere = gateway.run_sekisho(
        "hooks", "test", "beforeCreate", "--project", "demo", "--dev", "--data", str(path),
        DATABASE_URL="postgresql://")
    assert "name the directory of `sekisho dev` with --data" in elsewhere.stderr


def test_each_call_has_a_new_event_id(dev, folder):
    def answer(body):
        return 200, {}

    with function(answer) as (url, bodies), configured_dev(folder, dev, dict.fromkeys(ALL_EVENTS, url)) as running:
        for _ in range(3):
            assert sign_up(running.url, email := fresh_email()).status_code == 200
            requests.post(
                f"{running.url}/v1/accounts:signInWithPassword?key=any", json={"email": email, "password": "secret12"},
                timeout=30).raise_for_status()
            requests.post(
                f"{running.url}/v1/accounts:sendOobCode?key=any",
                json={"requestType": "PASSWORD_RESET", "email": email}, timeout=30).raise_for_status()
        claims = [unverified_claims(body["data"]["jwt"]) for body in bodies]
    assert [one["event_type"] for one in claims] == [*BOTH, "beforeSignIn", "beforeSendEmail"] * 3
    ids = [one["event_id"] for one in claims]
    assert all(ids) and len(set(ids)) == len(ids)


def test_a_word_of_a_function_keeps_no_account_from_the_owner_of_its_mailbox(dev, folder, contract):
    """A stranger signs up with the address of a user of Google, for which the function vouches."""
    def answer(body):
        return 200, {"userRecord": {"updateMask": "emailVerified", "emailVerified": True}}

    with function(answer) as (url, _), configured_dev(folder, dev, {"beforeCreate": url}) as running:
        client, person = Client(running, contract), fresh_person()
        stranger = sign_up(running.url, person["email"]).json()
        assert unverified_claims(stranger["idToken"])["email_verified"] is True
        assert client.lookup(stranger)["emailVerified"] is True
        simulators = Simulators(running)
        owner = ok_body(client.call("signInWithIdp", idp_sign_in_body(simulators.sign_in_with_google(person))))
        assert unverified_claims(owner["idToken"])["email_verified"] is True
        refused = client.call("signInWithPassword", {"email": person["email"], "password": "secret12"})
        assert (refused.status, refused.code) == (400, "INVALID_PASSWORD")
        assert client.call("lookUpOwnAccount", {"idToken": stranger["idToken"]}).status == 400


PYTHON_FUNCTIONS = """
import json

from firebase_functions import identity_fn


def seen(name, event):
    print(json.dumps({
        "name": name, "uid": event.data.uid, "method": event.additional_user_info.provider_id,
        "isNew": event.additional_user_info.is_new_user, "ip": event.ip_address, "agent": event.user_agent,
        "providers": [info.provider_id for info in event.data.provider_data],
        "created": event.data.metadata.creation_time.timestamp()}), flush=True)


@identity_fn.before_user_created()
def beforeCreate(event):
    seen("beforeCreate", event)
    return identity_fn.BeforeCreateResponse(display_name="Member", custom_claims={"member": True})


@identity_fn.before_user_signed_in()
def beforeSignIn(event):
    seen("beforeSignIn", event)
    return identity_fn.BeforeSignInResponse(session_claims={"ip": event.ip_address})
"""


@pytest.fixture(scope="module")
def python_functions(folder, dev):
    """`sekisho dev` with functions of firebase-functions behind functions-framework, and the events that they got."""
    source = new_folder(folder) / "main.py"
    source.write_text(PYTHON_FUNCTIONS)
    ports = {name: free_port() for name in BOTH}
    environment = {
        "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9", "GOOGLE_CLOUD_PROJECT": "demo", "GCLOUD_PROJECT": "demo"}
    program = str(Path(sys.executable).parent / "functions-framework")
    options = [[sys.executable, program, "--target", name, "--source", str(source), "--host", "127.0.0.1",
                "--port", str(port), "--debug"] for name, port in ports.items()]
    with process(*options[0], **environment) as first, process(*options[1], **environment) as second:
        for port in ports.values():
            assert eventually(lambda port=port: is_listening(port)), (first, second)
        functions = {name: f"http://127.0.0.1:{port}/" for name, port in ports.items()}
        with configured_dev(folder, dev, functions) as running:
            yield running, first, second


@EACH_WAY
def test_functions_of_firebase_functions_for_python_run_unchanged(
        prepare, method, events, python_functions, contract):
    running, *lines = python_functions
    client = Client(running, contract)
    sign_in = prepare(client, Simulators(running))
    for part in lines:
        del part[:]
    session = sign_in()
    claims = unverified_claims(session["idToken"])
    got = [line for part in lines for line in part if isinstance(line, dict)]
    assert [event["name"] for event in got] == events, lines
    for event in got:
        assert (event["uid"], event["ip"]) == (claims["sub"], "127.0.0.1")
        assert event["method"] == ("password" if method == "emailLink" else method)
        assert event["isNew"] == (event["name"] == "beforeCreate")
        assert event["agent"].startswith("python-requests")
        assert abs(event["created"] - time.time()) < 24 * 3600
    if events:
        assert claims["ip"] == "127.0.0.1"
    if "beforeCreate" in events:
        assert claims["member"] is True
        assert client.lookup(session)["displayName"] == "Member"


class Hostile(BaseHTTPRequestHandler):
    """A blocking function whose path selects its answer."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        getattr(self, self.path.strip("/"))()

    def head(self, status=200, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def redirect(self):
        self.head(302, Location=f"http://127.0.0.1:{self.server.server_port}/allowed", Content_Length=0)

    def allowed(self):
        self.head(Content_Length=2)
        self.wfile.write(b"{}")

    def gigabyte(self):
        self.head(Content_Length=2**30)
        self.send_zeros()

    def endless(self):
        self.head()
        self.send_zeros()

    def send_zeros(self):
        try:
            for _ in range(1024):
                self.wfile.write(bytes(2**20))
        except OSError:
            self.server.interrupted += 1

    def gzip(self):
        self.head(Content_Encoding="gzip", Content_Length=8)
        self.wfile.write(bytes.fromhex("1f8b0800deadbeef"))

    def head_only(self):
        self.head(Content_Length=100)
        self.wfile.write(b"{")

    def long_head(self):
        self.send_response(200)
        for number in range(5000):
            self.send_header(f"X-{number}", "x" * 100)
        self.end_headers()
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def hostile():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads, server.paths, server.interrupted = True, [], 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def attacked(folder, dev):
    with gateway.dev(new_folder(folder), "--database-url", new_database(dev.database_url)) as running:
        yield running


def resident_kilobytes(running):
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.parametrize(
    "answer", ["redirect", "gigabyte", "endless", "gzip", "head_only", "long_head"])
def test_a_hostile_function_refuses_and_fills_no_memory(answer, hostile, attacked):
    configure(attacked.url, {"beforeCreate": f"http://127.0.0.1:{hostile.server_port}/{answer}"})
    del hostile.paths[:]
    sign_up(attacked.url, fresh_email())
    before = resident_kilobytes(attacked)
    for _ in range(5):
        response = sign_up(attacked.url, fresh_email())
        assert response.status_code == 500
        assert response.json()["error"]["message"].startswith("BLOCKING_FUNCTION_ERROR_RESPONSE : ((")
    assert set(hostile.paths) == {f"/{answer}"}, "a redirect is not followed"
    assert len(hostile.paths) == 6, "a call is not repeated"
    assert resident_kilobytes(attacked) - before < 20_000


def test_addresses_and_tokens_are_not_logged(hostile, attacked):
    email = fresh_email()
    configure(attacked.url, {"beforeCreate": f"http://127.0.0.1:{hostile.server_port}/redirect"})
    sign_up(attacked.url, email)
    log = attacked.log.read_text()
    assert "a blocking function is unavailable" in log
    lines = [line for line in log.splitlines() if line.startswith("{")]
    assert not any(email in line or "/redirect" in line or "eyJ" in line for line in lines)
