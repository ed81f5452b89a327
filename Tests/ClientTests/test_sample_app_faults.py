"""No user is signed out when the sample app is killed, refreshes in two processes at once, or gets broken responses."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import PASSWORD, fresh_email
from faulty_proxy import FAULTS, faulty_proxy
from gateway import eventually, run_sekisho
from sample_app import SampleApp, build_sample_app

pytestmark = pytest.mark.slow

RESTARTS = 100
SEED = 20261122
# Errors after which the user stays signed in: tooManyRequests, networkError, internalError.
HARMLESS_CODES = {17010, 17020, 17999}
# The end of the path of the request that gets a fault, and the command of the app that sends the request.
OPERATIONS = [
    ("/token", "refresh"), (":lookup", "refresh"), (":update", "rename", "Ada"),
    (":update", "change-password", "another password"),
    (":signInWithIdp", "apple", "link", fresh_email()), (":listSessions", "devices"),
]


def refresh(app):
    """Refreshes the tokens and returns the state. Repeats the command while it fails with a harmless error."""
    eventually(lambda: app.run("refresh").get("error", {}).get("code") not in HARMLESS_CODES)
    return app.screen


class Phone:
    """A device whose app is killed at random moments. `dev` is the gateway, and `store` the folder of the session."""

    def __init__(self, dev, store, seed, changes_password):
        self.dev = dev
        self.store = store
        self.random = random.Random(seed)
        self.changes_password = changes_password
        self.person = fresh_email()
        self.email = fresh_email()
        # The number of kills that interrupted a command.
        self.interruptions = 0
        # The longest time until a kill, in seconds. It adapts to the machine, so that about half of the kills hit a
        # running command.
        self.longest_delay = 0.15
        with self.start() as app:
            self.uid = app.run_ok("sign-up", self.email, PASSWORD)["user"]["uid"]

    def start(self):
        return SampleApp(self.dev.url, self.store, "--device", "phone")

    def restart_and_kill(self):
        with self.start() as app:
            self.require_user(app)
            for command in self.random.sample(self.commands(app), 2):
                app.send(*command)
            time.sleep(self.random.uniform(0, self.longest_delay))
            app.process.kill()
            # The app prints one line after each of the two commands.
            was_running = len(app.process.stdout.readlines()) < 2
            self.interruptions += was_running
            self.longest_delay *= 1.2 if was_running else 1 / 1.2

    def require_user(self, app):
        """Fails unless the stored user is signed in and can refresh the tokens."""
        assert app.user and app.user["uid"] == self.uid, app.screen
        assert "error" not in refresh(app), app.screen
        assert app.user["uid"] == self.uid

    def commands(self, app):
        apple = ("unlink", "apple.com") if "apple.com" in app.user["methods"] else ("apple", "link", self.person)
        commands = [("refresh",), ("rename", f"Ada {self.random.randrange(100)}"), apple]
        if self.changes_password:
            commands.append(("change-password", f"password {self.random.randrange(10**9)}"))
        return commands


def test_no_user_is_signed_out_when_the_app_is_killed_a_hundred_times(dev, tmp_path):
    build_sample_app()
    print(f"seed {SEED}")
    # Only the second phone changes its password.
    phones = [Phone(dev, tmp_path / str(number), SEED + number, changes_password=number == 1) for number in range(2)]

    def use(phone):
        for _ in range(RESTARTS // len(phones)):
            phone.restart_and_kill()

    with ThreadPoolExecutor() as pool:
        list(pool.map(use, phones))
    for phone in phones:
        with phone.start() as app:
            phone.require_user(app)
            # The current password is unknown if a kill interrupted a change.
            app.run_ok("change-password", PASSWORD)
        with SampleApp(dev.url, tmp_path / "another device") as other:
            assert other.run_ok("sign-in", phone.email, PASSWORD)["user"]["uid"] == phone.uid
            assert len(other.run_ok("devices")["devices"]) == 2
            other.run_ok("sign-out")
    # `longest_delay` makes about half of the kills hit a running command; a quarter is enough for the test.
    assert sum(phone.interruptions for phone in phones) > RESTARTS / 4


@pytest.fixture
def account(dev, tmp_path):
    """Signs up on a phone. Returns the email address and ID of the account, and the folder of the phone's session."""
    email = fresh_email()
    store = tmp_path / "phone"
    with SampleApp(dev.url, store, "--device", "phone") as app:
        uid = app.run_ok("sign-up", email, PASSWORD)["user"]["uid"]
    return email, uid, store


def refresh_at_once(apps, rounds=20):
    """Lets all apps refresh their tokens at the same time, repeatedly. In the end, each app must succeed."""
    for _ in range(rounds):
        for app in apps:
            app.send("refresh")
        for app in apps:
            assert app.read().get("error", {}).get("code") in {None, *HARMLESS_CODES}, app.screen
    for app in apps:
        assert "error" not in refresh(app), app.screen


def test_two_processes_with_one_store_refresh_at_once(dev, account):
    email, uid, store = account
    # Two such processes are an app and its extension.
    with SampleApp(dev.url, store) as app, SampleApp(dev.url, store) as extension:
        refresh_at_once([app, extension])
        app.run_ok("change-password", "another password")
        refresh_at_once([extension, app], rounds=3)
        [device] = extension.run_ok("devices")["devices"]
        assert device["isCurrent"]
    with SampleApp(dev.url, store) as restarted:
        assert restarted.user["uid"] == uid
        restarted.run_ok("refresh")


def test_two_processes_with_stores_of_their_own_refresh_at_once(dev, account, tmp_path):
    email, uid, store = account
    with SampleApp(dev.url, store) as phone, SampleApp(dev.url, tmp_path / "tablet", "--device", "tablet") as tablet:
        assert tablet.run_ok("sign-in", email, PASSWORD)["user"]["uid"] == uid
        refresh_at_once([phone, tablet])
        assert {device["name"] for device in phone.run_ok("devices")["devices"]} == {"phone", "tablet"}


@pytest.fixture(scope="module")
def strict_dev(fresh_dev):
    """A gateway that rotates refresh tokens. It ends a session as soon as it gets a token whose successor was used."""
    run = run_sekisho(
        "projects", "policy", fresh_dev.project, "--set", "rotatesRefreshTokens=true", "--set",
        "refreshTokenGracePeriod=0", DATABASE_URL=fresh_dev.database_url)
    assert run.returncode == 0, run.stderr
    # The event loops of the gateway apply the change within five seconds.
    time.sleep(5.5)
    return fresh_dev


@pytest.fixture
def shared_store(strict_dev, tmp_path):
    """Signs up. Returns a proxy in front of the gateway, the ID of the account, and the folder of the session."""
    store = tmp_path / "shared"
    with faulty_proxy(strict_dev) as network:
        with SampleApp(network.url, store) as app:
            uid = app.run_ok("sign-up", fresh_email(), PASSWORD)["user"]["uid"]
        yield network, uid, store


def test_a_delayed_refresh_of_one_process_does_not_end_the_session_of_another(shared_store):
    network, uid, store = shared_store
    with SampleApp(network.url, store) as app, SampleApp(network.url, store) as extension:
        for _ in range(3):
            # The app adopts the tokens of the extension, so that its next refresh sends a request.
            app.run_ok("refresh")
            network.plan_fault("delays the request", "/token")
            app.send("refresh")
            assert eventually(lambda: network.planned_faults == [])
            # Without waiting for the app, the second refresh would make the app's refresh token too old.
            extension.run_ok("refresh")
            extension.run_ok("refresh")
            assert "error" not in app.read(), app.screen
            assert app.user["uid"] == extension.user["uid"] == uid


@pytest.mark.parametrize("fault", ["drops the request", "loses the response", "cuts the response"])
def test_a_lost_refresh_of_one_process_does_not_end_the_session_of_another(fault, shared_store):
    network, uid, store = shared_store
    with SampleApp(network.url, store) as app, SampleApp(network.url, store) as extension:
        network.plan_fault(fault, "/token")
        refresh_at_once([app, extension], rounds=5)
        assert app.user["uid"] == extension.user["uid"] == uid


def test_no_process_is_signed_out_when_another_process_is_killed_during_a_refresh(shared_store):
    network, uid, store = shared_store
    print(f"seed {SEED}")
    source = random.Random(SEED)
    with SampleApp(network.url, store) as app:
        for _ in range(8):
            with SampleApp(network.url, store) as extension:
                extension.send("refresh")
                app.send("refresh")
                time.sleep(source.uniform(0, 0.1))
                extension.process.kill()
                assert app.read().get("error", {}).get("code") in {None, *HARMLESS_CODES}, app.screen
                assert "error" not in refresh(app), app.screen
                assert app.user["uid"] == uid
    with SampleApp(network.url, store) as restarted:
        assert "error" not in refresh(restarted), restarted.screen
        assert restarted.user["uid"] == uid


def test_the_name_from_apple_survives_a_failed_sign_in_and_a_restart(dev, tmp_path):
    person = fresh_email()
    with faulty_proxy(dev) as network:
        with SampleApp(network.url, tmp_path) as app:
            network.plan_fault("drops the request", ":signInWithIdp")
            assert app.run("apple", "sign-in", person)["error"]["code"] in HARMLESS_CODES
        with SampleApp(network.url, tmp_path) as restarted:
            # Apple sends the name only once.
            restarted.run_ok("apple", "sign-in", person)
            assert restarted.user["name"] == "Ada Lovelace"


def timeout(fault):
    """The app's timeout in seconds. It is short only for the fault that must cause a timeout."""
    return "1" if fault == "delays the request" else "30"


@pytest.mark.parametrize("fault", FAULTS)
def test_the_user_stays_signed_in_after_a_fault_of_the_network(fault, dev, account):
    email, uid, store = account
    with faulty_proxy(dev) as network:
        with SampleApp(network.url, store, "--timeout", timeout(fault)) as app:
            # The session in the store is for the URL of the gateway, not for that of the proxy.
            assert app.screen["screen"] == "signIn"
            app.run_ok("sign-in", email, PASSWORD)
            for operation, *command in OPERATIONS:
                network.plan_fault(fault, operation)
                # Repeats the command: on a busy machine, the app may give up before the proxy reads the request.
                assert eventually(lambda: app.run(*command) and network.planned_faults == []), (operation, command)
                assert app.user and app.user["uid"] == uid, (command, app.screen)
                assert "error" not in refresh(app), app.screen
        with SampleApp(network.url, store) as restarted:
            assert restarted.user["uid"] == uid
            restarted.run_ok("refresh")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_sign_in_can_be_repeated_after_a_fault_of_the_network(fault, dev, account, tmp_path):
    email, uid, _ = account
    with faulty_proxy(dev) as network, SampleApp(network.url, tmp_path / "tablet", "--timeout", timeout(fault)) as app:
        network.plan_fault(fault, ":signInWithPassword")
        assert app.run("sign-in", email, PASSWORD)["error"]["code"] in HARMLESS_CODES
        assert app.screen["screen"] == "signIn"
        network.plan_fault(fault, ":lookup")
        app.run_ok("sign-in", email, PASSWORD)
        assert app.user["uid"] == uid
