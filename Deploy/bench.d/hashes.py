"""Compares the latency of password sign-ins while users of another project sign in: with ordinary password hashes, and
with expensive hashes of another system.

Usage: hashes.py BINARY
"""

import base64
import http.client
import json
import signal
import statistics
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import PASSWORD, Bench
from gateway import Installation, database_description, private_postgres, sign_up_many
from report import Measurement, machine, outcome

ROUNDS = 8
# One client for each core of the machine on which the target was set.
CLIENTS = 2
ACCOUNTS = 64
# The sign-ins of the other project in a second. It is far more than the gateway can check with the expensive hash.
RATE = 20
# The time in which the queue of the other project fills before the measurement begins.
WARM_UP_SECONDS = 2
TARGET_RATIO = 2
TIMEOUT_SECONDS = 30
# The most expensive scrypt that an import accepts.
SCRYPT = ["--hash-algo", "STANDARD_SCRYPT", "--mem-cost", "131072", "--block-size", "8", "--parallelization", "1"]


def import_users(installation, folder, project):
    """Imports users with expensive hashes. The hashes are arbitrary bytes, so that no password matches them: after a
    correct password, the gateway would replace the hash by an ordinary one.
    """
    file = folder / "users.json"
    file.write_text(json.dumps({"users": [
        {"localId": f"expensive{number}", "email": f"expensive{number}@example.com",
         "passwordHash": base64.b64encode(bytes(range(64))).decode(), "salt": base64.b64encode(b"salt").decode()}
        for number in range(ACCOUNTS)]}))
    installation.run("users", "import", str(file), "--project", project, *SCRYPT)


@contextmanager
def signing_in(gateway, key, emails):
    """Sends RATE sign-ins with wrong passwords in a second during the block of `with`, whatever the answers are."""
    is_over = threading.Event()

    def sign_in(email):
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(
                "POST", f"/v1/accounts:signInWithPassword?key={key}", json.dumps({"email": email, "password": "wrong"}),
                {"Content-Type": "application/json"})
            connection.getresponse().read()
        except OSError:
            pass  # for example, the gateway has stopped
        finally:
            connection.close()

    def send_all():
        number = 0
        while not is_over.wait(1 / RATE):
            threading.Thread(target=sign_in, args=[emails[number % len(emails)]], daemon=True).start()
            number += 1

    sender = threading.Thread(target=send_all)
    sender.start()
    time.sleep(WARM_UP_SECONDS)
    try:
        yield
    finally:
        is_over.set()
        sender.join()


def measure(folder, installation, project_keys):
    """Returns the measurements beside ordinary and beside expensive hashes."""
    measured_key, other_key = project_keys
    ordinary, expensive = (Measurement(name, CLIENTS, target=None) for name in ("ordinary", "expensive"))
    emails = {name: [f"{name}{number}@example.com" for number in range(ACCOUNTS)] for name in ("ordinary", "expensive")}
    for turn in range(ROUNDS):
        # Each round has a gateway of its own, so that no expensive hash of an earlier round waits.
        for measurement in (ordinary, expensive) if turn % 2 == 0 else (expensive, ordinary):
            with installation.serve() as (gateway, _):
                bench = Bench(folder, installation, {}, measured_key, None, None)
                if turn == 0 and measurement is ordinary:
                    sign_up_many(gateway, measured_key, bench.password_sign_in_bodies)
                    sign_up_many(
                        gateway, other_key, [{"email": email, "password": PASSWORD} for email in emails["ordinary"]])
                lines = [json.dumps(body) for body in bench.password_sign_in_bodies]
                with signing_in(gateway, other_key, emails[measurement.name]):
                    bench.run_wrk(
                        gateway, measurement, "cycle", "/v1/accounts:signInWithPassword", measured_key, lines)
                # A gateway that ends in order hashes the waiting passwords first, which takes ten seconds.
                gateway.process.kill()
    return ordinary, expensive


def main(binary):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        # The folder is on a disk, because /tmp may be in memory. PostgreSQL may run as another user.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp")))
        folder.chmod(0o711)
        installation = Installation(binary, stack.enter_context(private_postgres(binary, folder)))
        keys = [installation.create_project(name, "sekisho") for name in ("measured", "other")]
        import_users(installation, folder, "other")
        ordinary, expensive = measure(folder, installation, keys)
        print(f"{machine()}\n{ROUNDS} rounds; {database_description(installation.database_url)}")
    p50s, p99s = (
        [statistics.median(getattr(measurement, name)) / 1000 for measurement in (ordinary, expensive)]
        for name in ("p50", "p99"))
    for name, (beside_ordinary, beside_expensive) in ("p50", p50s), ("p99", p99s):
        print(f"{name} of a password sign-in beside {RATE} sign-ins/s of another project: {beside_ordinary:.1f} ms "
              f"with ordinary hashes, {beside_expensive:.1f} ms with expensive hashes")
    ratio = p99s[1] / p99s[0]
    print(f"ratio of the p99: {ratio:.2f} (target: at most {TARGET_RATIO}: {outcome(ratio, TARGET_RATIO)})")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
