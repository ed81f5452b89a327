"""Events reach endpoints as Deploy/guides/events.md describes them. The receivers use PyPI's `standardwebhooks`."""

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import pytest
import requests
from standardwebhooks import Webhook

import gateway
from dev_pages import open_page
from documents import GUIDES, code_block
from gateway import eventually
from installation import DEMO_PROJECT, new_database, sql
from postgres import Postgres

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "events.md"
OWNER = {"Authorization": "Bearer owner"}
# `SEKISHO_EVENT_ROUNDS=100` kills the gateway a hundred times, and PostgreSQL in every second round.
ROUNDS = int(os.environ.get("SEKISHO_EVENT_ROUNDS", "5"))
# `SEKISHO_EVENT_BACKLOG=100000` fills the backlog with as many events.
BACKLOG = int(os.environ.get("SEKISHO_EVENT_BACKLOG", "2000"))


class Receiver:
    """The server of an endpoint. `secret` is set after the endpoint was created."""

    def __init__(self, answer=lambda receiver, event: 204):
        self.secret = None
        self.events = []
        self.connections = 0
        self.times = {}
        self.answer = answer
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.connections += 1
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = json.loads(body)
                if receiver.secret:
                    Webhook(receiver.secret).verify(body, {k.lower(): v for k, v in self.headers.items()})
                    assert self.headers["webhook-id"] == event["id"]
                receiver.events.append(event)
                receiver.times[event["id"]] = time.monotonic()
                try:
                    answer = receiver.answer(self, event)
                    if answer is None:
                        return
                    status, *fields = answer if isinstance(answer, tuple) else (answer,)
                    self.send_response(status)
                    for name, value in fields:
                        self.send_header(name, value)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def accounts(self):
        return [event["data"]["localId"] for event in self.events]


@pytest.fixture
def receiver():
    with running_receiver() as receiver:
        yield receiver


@contextmanager
def running_receiver(*arguments):
    receiver = Receiver(*arguments)
    try:
        yield receiver
    finally:
        receiver.server.shutdown()


def create_endpoint(running, name, receiver, **members):
    response = requests.post(
        f"{running.url}/v2/projects/demo/eventEndpoints", headers=OWNER, timeout=30,
        json={"eventEndpointId": name, "url": receiver.url, **members})
    assert response.status_code == 200, response.text
    receiver.secret = response.json()["secret"]
    return response.json()


def delete_endpoint(running, name):
    response = requests.delete(f"{running.url}/v2/projects/demo/eventEndpoints/{name}", headers=OWNER, timeout=30)
    assert response.status_code == 204, response.text


def sign_up(running):
    """Signs up; returns the account's ID, or `None` without a response."""
    try:
        response = requests.post(f"{running.url}/v1/accounts:signUp?key=any", json={}, timeout=10)
    except requests.RequestException:
        return None
    return response.json()["localId"] if response.status_code == 200 else None


def test_the_library_computes_the_published_signature():
    time_of_vector = datetime.fromtimestamp(1614265330, tz=timezone.utc)
    signature = Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").sign(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", time_of_vector, '{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_python_code_of_the_guide_mirrors_users(fresh_dev, receiver):
    code = {}
    exec(code_block(GUIDE, "Receive events"), code)
    users, raw = set(), []

    def answer(handler, event):
        raw.append(event)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = json.dumps(event, separators=(",", ":"))
        return code["receive"](receiver.secret, headers, body, users)

    receiver.answer = answer
    create_endpoint(fresh_dev, "guide", receiver)
    ada, bob = sign_up(fresh_dev), sign_up(fresh_dev)
    assert eventually(lambda: users == {ada, bob}, within=15), raw
    deleted = requests.post(
        f"{fresh_dev.url}/v1/projects/demo/accounts:delete", headers=OWNER, json={"localId": bob}, timeout=30)
    assert deleted.status_code == 200
    assert eventually(lambda: users == {ada}, within=15), raw
    assert code["receive"]("whsec_" + "A" * 32, {
        "webhook-id": "x", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}, "{}",
        users) == 401
    delete_endpoint(fresh_dev, "guide")


def test_the_page_of_events_sends_an_event_again(fresh_dev, receiver):
    create_endpoint(fresh_dev, "page", receiver)
    ada = sign_up(fresh_dev)
    assert eventually(lambda: ada in receiver.accounts(), within=15)
    page = eventually(lambda: (p := open_page(fresh_dev, "/dev/events")) and "delivered" in p.text and p, within=15)
    assert ada in page.text and "account.created" in page.text and receiver.url in page.text
    assert "whsec_" not in page.html
    event = next(event for event in receiver.events if event["data"]["localId"] == ada)
    page = page.submit("send-again", event=event["id"], endpoint="page")
    assert "delivered again" in page.text
    assert eventually(lambda: [e["id"] for e in receiver.events].count(event["id"]) == 2, within=15)
    delete_endpoint(fresh_dev, "page")


def test_the_commands_of_the_guide_configure_an_endpoint(new_installation):
    installation = new_installation()
    project = DEMO_PROJECT

    def run(line):
        words = shlex.split(line.replace("--project my-app", f"--project {project}"))
        assert words[0] == "sekisho"
        return installation.run_ok(" ".join(words[1:]))

    created = json.loads(run(code_block(GUIDE, "Create an endpoint")))
    assert created["secret"].startswith("whsec_")
    outputs = [run(line) for line in code_block(GUIDE, "Failures").splitlines()]
    assert "https://backend.example.com/events" in outputs[0]
    assert outputs[3].strip() == "events to deliver again: 0"
    rotated = json.loads(run(code_block(GUIDE, "Replace the secret")))
    assert rotated["secret"] not in ("", created["secret"])
    assert installation.run_ok(f"events list --project {project}") == ""
    installation.run_ok(f"events delete-endpoint backend --project {project} --yes")


def test_the_request_of_the_guide_creates_an_endpoint_in_dev(fresh_dev):
    command = code_block(GUIDE, "Create an endpoint", 1).replace("http://127.0.0.1:9099", fresh_dev.url)
    completed = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    created = json.loads(completed.stdout)
    assert created["secret"].startswith("whsec_") and created["url"] == "http://127.0.0.1:8000/events"
    delete_endpoint(fresh_dev, "backend")


def test_the_project_file_of_the_guide_configures_an_endpoint(new_installation, tmp_path):
    installation = new_installation()
    file = json.loads(code_block(GUIDE, "Configure endpoints in a file"))
    path = tmp_path / "project.json"
    path.write_text(json.dumps({**file, "project": DEMO_PROJECT}))
    assert "eventEndpoints.backend" in installation.run_ok(f"projects apply {path}")
    assert "https://backend.example.com/events" in installation.run_ok(f"events list-endpoints --project {DEMO_PROJECT}")


def test_the_curl_command_of_the_guide_reads_the_feed(fresh_dev):
    requests.post(
        f"{fresh_dev.url}/v2/projects/demo/eventEndpoints", headers=OWNER, json={"eventEndpointId": "feed"},
        timeout=30).raise_for_status()
    ada = sign_up(fresh_dev)

    def read():
        completed = subprocess.run(
            ["bash", "-c", code_block(GUIDE, "Read the feed")], capture_output=True, text=True, timeout=60,
            env={**os.environ, "SEKISHO_URL": fresh_dev.url, "PROJECT": "demo", "SERVICE_KEY": "owner"})
        return [event["data"]["localId"] for event in json.loads(completed.stdout)["events"]]

    assert eventually(lambda: ada in read(), within=15)
    delete_endpoint(fresh_dev, "feed")


def test_dead_slow_and_hostile_endpoints_do_not_delay_a_healthy_one(fresh_dev):
    def endless(handler, event):
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    def trickle(handler, event):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(1)

    with ExitStack() as stack:
        other = stack.enter_context(running_receiver())
        hostile = {
            "slow": lambda handler, event: time.sleep(30),
            "endless": endless,
            "trickle": trickle,
            "redirect": lambda handler, event: (302, ("Location", other.url)),
            "gzip": lambda handler, event: (200, ("Content-Encoding", "gzip")),
            "error": lambda handler, event: 500,
        }
        receivers = {}
        for name, answer in hostile.items():
            receivers[name] = stack.enter_context(running_receiver(answer))
            create_endpoint(fresh_dev, name, receivers[name])
        dead = stack.enter_context(running_receiver())
        create_endpoint(fresh_dev, "dead", dead)
        dead.server.shutdown()
        dead.server.server_close()
        healthy = stack.enter_context(running_receiver())
        create_endpoint(fresh_dev, "healthy", healthy)
        sent = {}
        for _ in range(30):
            sent[sign_up(fresh_dev)] = time.monotonic()
        assert eventually(lambda: set(sent) <= set(healthy.accounts()), within=30)
        lags = [
            healthy.times[event["id"]] - sent[event["data"]["localId"]] for event in healthy.events
            if event["data"]["localId"] in sent]
        assert sorted(lags)[len(lags) * 9 // 10] < 10, lags
        assert other.events == [], "no redirect is followed"
        states = requests.get(f"{fresh_dev.url}/v2/projects/demo/eventEndpoints", headers=OWNER, timeout=30).json()
        by_name = {endpoint["eventEndpointId"]: endpoint for endpoint in states["eventEndpoints"]}
        assert by_name["healthy"]["failures"] == 0
        assert by_name["dead"]["failures"] > 0 and by_name["redirect"]["failures"] > 0
        for name in by_name:
            delete_endpoint(fresh_dev, name)


def test_a_backlog_is_delivered_in_order_and_beside_new_events(fresh_dev, receiver):
    create_endpoint(fresh_dev, "backlog", receiver)
    with psycopg.connect(fresh_dev.database_url, autocommit=True) as connection:
        connection.execute(
            """
            INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
            SELECT gen_random_uuid(), 'demo', 'account.updated', 'user' || n, 'system', '{}',
                now() - interval '1 day' + n * interval '1 microsecond'
            FROM generate_series(1, %s) n
            """, (BACKLOG,))
    start = time.monotonic()
    assert eventually(lambda: len({event["id"] for event in receiver.events}) >= BACKLOG, within=600)
    print(f"{BACKLOG} events in {time.monotonic() - start:.1f} s")
    sequences = [event["sequence"] for event in receiver.events]
    assert sorted(set(sequences)) == list(range(min(sequences), min(sequences) + BACKLOG))
    # At most eight requests are in flight, so an event arrives at most seven places early or late.
    assert all(abs(number - first - place) < 16 for first in [min(sequences)]
               for place, number in enumerate(sequences))
    delete_endpoint(fresh_dev, "backlog")


def test_a_backlog_and_a_replay_do_not_delay_another_endpoint(fresh_dev):
    """The healthy endpoint gets every new event, while another one of the project gets a backlog, and then the same events
    again. `SEKISHO_EVENT_BACKLOG=100000` measures the largest replay: `pytest -s` prints the largest lag of the healthy
    endpoint, which should be at most two seconds on a machine that does nothing else."""
    with running_receiver() as busy, running_receiver() as healthy:
        create_endpoint(fresh_dev, "busy", busy, kinds=["account.updated"])
        create_endpoint(fresh_dev, "healthy", healthy, kinds=["account.created"])
        numbers = set()
        busy.answer = lambda handler, event: numbers.add(event["sequence"]) or 204

        def lags_until(is_done, within=900):
            """Signs up until `is_done`; returns how long each event took to reach the healthy endpoint."""
            sent, deadline = {}, time.monotonic() + within
            while not is_done():
                assert time.monotonic() < deadline, len(busy.events)
                sent[sign_up(fresh_dev)] = time.monotonic()
                time.sleep(0.3)
            assert eventually(lambda: set(sent) <= set(healthy.accounts()), within=60)
            arrived = {event["data"]["localId"]: healthy.times[event["id"]] for event in healthy.events}
            return [arrived[account] - start for account, start in sent.items()]

        with psycopg.connect(fresh_dev.database_url, autocommit=True) as connection:
            connection.execute(
                """
                INSERT INTO outbox (id, realm_id, kind, account_id, actor, data, created_at)
                SELECT gen_random_uuid(), 'demo', 'account.updated', 'user' || n, 'system', '{}',
                    now() - interval '1 day' + n * interval '1 microsecond'
                FROM generate_series(1, %s) n
                """, (BACKLOG,))
        start = time.monotonic()
        backlog = lags_until(lambda: len(numbers) >= BACKLOG)
        middle = time.monotonic()
        replayed = requests.post(
            f"{fresh_dev.url}/v2/projects/demo/eventEndpoints/busy:replay", headers=OWNER,
            json={"after": min(numbers) - 1}, timeout=60)
        assert replayed.json() == {"count": BACKLOG}, replayed.text
        numbers.clear()
        replay = lags_until(lambda: len(numbers) >= BACKLOG)
        print(f"{BACKLOG} events in {middle - start:.1f} s, lag {max(backlog):.2f} s; "
              f"again in {time.monotonic() - middle:.1f} s, lag {max(replay):.2f} s")
        assert backlog and replay
        for name in ["busy", "healthy"]:
            delete_endpoint(fresh_dev, name)


def test_endpoints_of_one_host_do_not_share_few_connections(fresh_dev):
    with running_receiver() as receiver:
        url = receiver.url
        for number in range(9):
            receiver.url = f"{url}/slow{number}"
            create_endpoint(fresh_dev, f"slow{number}", receiver, kinds=["account.created"])
        receiver.url = url
        created = create_endpoint(fresh_dev, "beside", receiver, kinds=["account.created"])
        assert created["url"] == url
        arrivals = {}
        receiver.secret = None  # Each endpoint has another one.
        receiver.answer = lambda handler, event: (
            arrivals.setdefault(event["data"]["localId"], time.monotonic()) and 204
            if handler.path == "/events" else time.sleep(12) or 204)
        sent = {}
        for _ in range(4):
            sent[sign_up(fresh_dev)] = time.monotonic()
            time.sleep(0.3)
        assert eventually(lambda: set(sent) <= set(arrivals), within=30)
        lags = [arrivals[account] - start for account, start in sent.items()]
        assert max(lags) < 5, lags
        for name in ["beside", *(f"slow{number}" for number in range(9))]:
            delete_endpoint(fresh_dev, name)


def test_a_killed_gateway_or_database_loses_no_event_and_repeats_them_with_the_same_id(folder, receiver):
    """Kills PostgreSQL and then the gateway, or only the gateway, at random moments while users sign up. Every
    acknowledged sign-up reaches the endpoint."""
    acknowledged = []
    receiver.answer = lambda handler, event: time.sleep(0.02) or 204
    path = folder / f"events-{os.getpid()}"
    path.mkdir(mode=0o711, exist_ok=True)
    postgres = Postgres(folder / f"events-postgres-{os.getpid()}")
    postgres.start()

    def started(stack):
        return stack.enter_context(gateway.dev(path, "--database-url", postgres.url))

    for number in range(ROUNDS):
        with ExitStack() as stack:
            running = started(stack)
            if number == 0:
                create_endpoint(running, "ledger", receiver)
            stop = threading.Event()
            stack.callback(stop.set)  # also after a failed round

            def run():
                while not stop.is_set():
                    account = sign_up(running)
                    if account:
                        acknowledged.append(account)

            threads = [threading.Thread(target=run) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(0.7 + 0.37 * (number % 5))
            if number % 2:
                postgres.kill()
                postgres.start()
                time.sleep(1 + 0.37 * (number % 3))
            running.process.send_signal(signal.SIGKILL)
            running.process.wait()
            # Otherwise most rounds would end before the lease of the killed gateway does, without a delivery.
            sql(postgres.url, "UPDATE event_stream SET lease_holder = NULL, lease_expires_at = NULL")
            stop.set()
            for thread in threads:
                thread.join()
    with ExitStack() as stack:
        running = started(stack)
        # The endpoint takes at least a hundred events a second.
        assert eventually(
            lambda: set(acknowledged) <= set(receiver.accounts()), within=90 + len(acknowledged) / 100), (
            len(set(acknowledged) - set(receiver.accounts())), len(acknowledged))
        ids, numbers = {}, {}
        for event in receiver.events:
            ids.setdefault(event["data"]["localId"], set()).add(event["id"])
            numbers.setdefault(event["sequence"], set()).add(event["id"])
        assert all(len(found) == 1 for found in ids.values()), "a repeated event has another ID"
        assert all(len(found) == 1 for found in numbers.values()), "two events have one number"
        assert sorted(numbers) == list(range(1, len(numbers) + 1)), "a gap"
    print(f"{ROUNDS} rounds, {len(acknowledged)} sign-ups, {len(receiver.events) - len(ids)} repeated events")
    postgres.stop()
