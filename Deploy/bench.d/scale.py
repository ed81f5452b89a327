"""Sends the same requests to a small and a large project in turn: operations with an index must be about equally fast.

Each project has its own gateway, and its own database in one PostgreSQL server. All requests of an operation are sent
twice, and the target applies to the second time. The first time, most requests to the large project read pages that
are not yet in PostgreSQL's memory.
"""

import re
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import users
from gateway import DEADLINE_SECONDS, Installation, database_description, postgres_with_default_buffers
from projects import Project
from report import machine, print_table

# The numbers of accounts.
COUNTS = {"small": 10_000, "large": 1_000_000}
# The number of requests of an operation to each project.
REQUESTS = 600
# The time limit for sending the requests of one operation once. Slow operations send fewer requests.
SECONDS = 10
PAGE_SIZE = 20
# The number of accounts whose IDs differ only in the last digit. A search by the other digits finds all of them.
SIBLINGS = 10
# The maximum of this ratio: the median latency in the large project, divided by that in the small project.
TARGET_RATIO = 1.2
# Disk space per account, with its identity, its session, their indexes, and the files of sorts.
BYTES_PER_ACCOUNT = 1800


@dataclass
class Operation:
    name: str
    requests: list
    # The number of accounts that each answer must have.
    accounts: int = 1
    # Whether the operation reads all accounts. Such an operation has no target; see DECISIONS.md.
    is_full_scan: bool = False
    # Whether the gateway rejected a request because reading all accounts took too long.
    was_rejected: bool = False


def operations(project, id_tokens):
    """Yields the operations to measure. Requests about single accounts name a different account each time."""
    lookups = [project.app_post_request("lookup", {"idToken": token}) for token in id_tokens]
    yield Operation("look-up by ID token", lookups)
    # Requests name only users whose number is a multiple of `step`, because only every fourth user has an identity.
    for operation, name, step, body in (
        ("lookup", "look-up by ID", 1, lambda n: {"localId": [users.local_id(n, project.count)]}),
        ("lookup", "look-up by email", 1, lambda n: {"email": [users.email(n)]}),
        ("lookup", "look-up by identity", 4,
         lambda n: {"federatedUserId": [{"providerId": "google.com", "rawId": users.subject(n)}]}),
        ("query", "query for an ID", 1, lambda n: {"expression": [{"userId": users.local_id(n, project.count)}]}),
        ("query", "query for an email", 1, lambda n: {"expression": [{"email": users.email(n)}]}),
        ("query", "query for a phone number", 1, lambda n: {"expression": [{"phoneNumber": users.phone_number(n)}]}),
    ):
        numbers = project.random_users(REQUESTS, step)
        yield Operation(name, [project.admin_post_request(operation, body(number)) for number in numbers])
    yield Operation(
        "search by email",
        [project.admin_get_request("search", q=users.email(number)) for number in project.random_users(REQUESTS)])
    beginnings = [users.id_at_rank(number)[:-1] for number in project.random_users(REQUESTS, SIBLINGS)]
    yield Operation(
        "search by prefix of an ID",
        [project.admin_get_request("search", q=beginning) for beginning in beginnings], SIBLINGS)
    yield Operation(
        "first page of all", [project.admin_get_request("batchGet", maxResults=PAGE_SIZE)] * REQUESTS, PAGE_SIZE)
    # IDs at positions in the second and third quarter of all IDs; a page begins after each of them.
    middle = [users.id_at_rank(project.count // 4 + number // 2) for number in project.random_users(REQUESTS, 2)]
    yield Operation(
        "page in the middle",
        [project.admin_get_request("batchGet", maxResults=PAGE_SIZE, nextPageToken=last) for last in middle],
        PAGE_SIZE)
    for order in ("USER_ID", "USER_EMAIL", "CREATED_AT", "NAME", "LAST_LOGIN_AT"):
        yield Operation(
            f"query, sorted by {order}",
            [project.admin_post_request("query", {"sortBy": order, "limit": str(PAGE_SIZE)})] * REQUESTS, PAGE_SIZE,
            is_full_scan=order == "LAST_LOGIN_AT")
    yield Operation(
        "count of all", [project.admin_post_request("query", {"returnUserInfo": False})] * REQUESTS, 0,
        is_full_scan=True)


@dataclass
class Comparison:
    """The times of one operation. Each list has two values: the milliseconds of the small and the large project."""

    operation: Operation
    requests: int
    # The median when the requests are sent for the first time.
    first_p50: list
    # Percentiles when the same requests are sent again.
    p50: list
    p99: list

    @property
    def outcome(self):
        if self.operation.was_rejected:
            return "rejected"
        if self.operation.is_full_scan:
            return "full scan"
        return "reached" if self.p50[1] / self.p50[0] <= TARGET_RATIO else "missed"

    @property
    def failed(self):
        return self.outcome == "missed" or self.outcome == "rejected" and not self.operation.is_full_scan

    def row(self):
        def columns(pair):
            return [f"{value:.2f}" for value in (*pair, pair[1] / pair[0])]

        return [self.operation.name, str(self.requests), *columns(self.p50), self.outcome, *columns(self.p99),
                *columns(self.first_p50)]


class Connection:
    """A persistent connection. It parses as little as possible, so that the measured time is the gateway's."""

    def __init__(self, gateway):
        self.socket = socket.create_connection(("127.0.0.1", gateway.port), DEADLINE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def milliseconds(self, operation, request):
        """Returns the milliseconds of one request.

        Exits with an error unless the answer has `operation.accounts` accounts or is the rejection of a slow query.
        """
        began = time.perf_counter_ns()
        self.socket.sendall(request)
        answer = self.received()
        while not (head := answer.partition(b"\r\n\r\n"))[1]:
            answer += self.received()
        length = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head[0])[1])
        body = head[2]
        while len(body) < length:
            body += self.received()
        elapsed = time.perf_counter_ns() - began
        if b"QUERY_DEADLINE_EXCEEDED" in body:
            operation.was_rejected = True
        elif not head[0].startswith(b"HTTP/1.1 200 ") or body.count(b'"localId"') != operation.accounts:
            raise SystemExit(f"{operation.name} answered {head[0].decode()}\n{body.decode()}")
        return elapsed / 1e6

    def received(self):
        data = self.socket.recv(65536)
        if not data:
            raise SystemExit("the gateway closed the connection")
        return data


def measured(connections, pair):
    """Sends requests to the small and the large project in turn until all are sent or the time limit is reached.

    `pair` is the same operation for both projects. Returns two lists of milliseconds.
    """
    times = ([], [])
    deadline = time.monotonic() + SECONDS
    for requests in zip(*(operation.requests for operation in pair)):
        if times[0] and time.monotonic() > deadline:
            break
        for side, request in enumerate(requests):
            times[side].append(connections[side].milliseconds(pair[side], request))
    return times


def compared(connections, pair):
    """Sends the requests of one operation twice, and returns the comparison of the two projects."""
    first, again = measured(connections, pair), measured(connections, pair)

    def percentile(times, rank):
        return [statistics.quantiles(side, n=100)[rank - 1] for side in times]

    return Comparison(pair[1], len(again[0]), percentile(first, 50), percentile(again, 50), percentile(again, 99))


@dataclass
class Side:
    """The small or the large project, in a database that has nothing else."""

    installation: Installation
    project: Project

    @classmethod
    def filled(cls, binary, server_url, folder, name, count, **options):
        """`options` are those of `filling.fill`."""
        installation = Installation(binary, server_url, name)
        return cls(installation, Project.filled(installation, folder, name, count, **options))


def compare(sides):
    """Returns the comparisons of all operations."""
    with ExitStack() as stack:
        # One event loop per gateway, so that all requests to a gateway use the same thread and database connection.
        gateways = [stack.enter_context(side.installation.serve(SEKISHO_LOOPS="1"))[0] for side in sides]
        projects = [side.project for side in sides]
        tokens = [project.id_tokens(gateway, REQUESTS) for project, gateway in zip(projects, gateways)]
        connections = [Connection(gateway) for gateway in gateways]
        return [compared(connections, pair) for pair in zip(*map(operations, projects, tokens))]


def main(binary, *counts):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes = dict(zip(COUNTS, map(int, counts))) if counts else COUNTS
    # The folder is on a disk, because /tmp may be in memory. PostgreSQL may run as another user, which needs access.
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        require_space(folder, sizes)
        with postgres_with_default_buffers(binary, folder) as server_url:
            sides = [Side.filled(binary, server_url, folder, name, count) for name, count in sizes.items()]
            comparisons = compare(sides)
            print(f"{machine()}; {database_description(server_url)}")
    report(sizes, comparisons)
    sys.exit(any(comparison.failed for comparison in comparisons))


def require_space(folder, sizes, bytes_per_account=BYTES_PER_ACCOUNT):
    """Exits with an error unless the disk of `folder` has space for projects of these sizes."""
    if shutil.disk_usage(folder).free < (needed := sum(sizes.values()) * bytes_per_account):
        raise SystemExit(f"{folder.parent} needs {needed / 1e9:.0f} GB of free space")


def report(sizes, comparisons):
    print(" and ".join(f"{count} accounts ({name})" for name, count in sizes.items()) + "; milliseconds\n")
    print_table(
        ["operation", "requests", "p50 small", "p50 large", "ratio", "", "p99 small", "p99 large", "ratio",
         "first p50 small", "first p50 large", "ratio"],
        [comparison.row() for comparison in comparisons])


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
