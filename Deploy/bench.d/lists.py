"""Compares lists and searches of accounts in a small and a large project: a page takes the same work in both.

`Deploy/bench scale` compares other operations in the same way. Afterwards PostgreSQL explains every statement of the
lists that it executes: none reads a table sequentially, and no scan reads more than one row more than the page has.
"""

import json
import re
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import scale
import users
from gateway import database_description, postgres_with_default_buffers, psql
from page_tokens import page_token
from report import machine

COUNTS = {"small": 10_000, "large": 10_000_000}
PAGE_SIZE = 50
# One of so many accounts is added with each of the states by which lists filter.
SPECIAL = 100
# Disk space per account, with its identity, their indexes, and the files of sorts.
BYTES_PER_ACCOUNT = 1200
SETTINGS = "SET synchronous_commit = off;"
SPECIAL_ROWS = (
    """INSERT INTO account (realm_id, id, created_at, valid_since)
       SELECT '{project}', 'guest' || n, timestamptz 'epoch' + n * interval '1 second', timestamptz 'epoch'
       FROM generate_series(1, {count}) n""",
    """INSERT INTO account (realm_id, id, email, created_at, valid_since, disabled_at)
       SELECT '{project}', 'disabled' || n, 'disabled' || n || '@example.com',
           timestamptz 'epoch' + n * interval '1 second', timestamptz 'epoch', timestamptz 'epoch'
       FROM generate_series(1, {count}) n""",
    """INSERT INTO linked_identity (realm_id, provider, subject, account_id, email, real_user_status, relay_forwarding,
           created_at)
       SELECT '{project}', 'apple.com', 'subject' || n, 'disabled' || n, 'shared@example.com', n % 3, false,
           timestamptz 'epoch'
       FROM generate_series(1, {count}) n""",
)
EXPLAIN = {
    "session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on", "auto_explain.log_timing": "off", "auto_explain.log_format": "json",
}
SCANS = {"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan"}


def special_count(project):
    """The number of accounts with each of the states by which lists filter; enough for full pages in the middle."""
    return max(project.count // SPECIAL, 4 * PAGE_SIZE)


def lists(side):
    """The queries of all lists: the first page, and a page in the middle."""
    # Few names and addresses precede that of a round number, because their order is that of texts.
    middle = side.project.count * 5 // 9

    def after(local_id, **sort_key):
        return {"nextPageToken": page_token(side.installation, side.project.name, local_id, **sort_key)}

    position = users.id_at_rank(middle)
    special = special_count(side.project) // 2
    for order in ("ASC", "DESC"):
        for key, sort_key in (
            ("USER_ID", {}), ("CREATED_AT", {"created_at": (1_600_000_000_000 + middle) * 1000}),
            ("USER_EMAIL", {"text": users.email(middle)}), ("NAME", {"text": f"User {middle}"}),
        ):
            query = {"sortBy": key, "order": order}
            yield f"{key} {order}", query
            yield f"{key} {order}, middle", query | after(position, **sort_key)
        for name_of_filter, prefix in (("DISABLED", "disabled"), ("GUEST", "guest")):
            query = {"filter": name_of_filter, "sortBy": "CREATED_AT", "order": order}
            yield f"{name_of_filter} {order}", query
            yield f"{name_of_filter} {order}, middle", query | after(
                f"{prefix}{special}", created_at=special * 1_000_000)
    for query in ({"filter": "RELAY_STOPPED"}, {"realUserStatus": "LIKELY_REAL"}):
        [name_of_list] = query.values()
        yield name_of_list, query
        yield f"{name_of_list}, middle", query | after("disabled3")
    for text in ("user000", "user 7", users.email(middle), "shared@example.com", users.phone_number(middle),
                 f"google.com:{users.subject(middle // 4 * 4)}"):
        yield f"q={text}", {"q": text}


def operations(side, sizes):
    for name, query in lists(side):
        request = side.project.admin_get_request("search", maxResults=PAGE_SIZE, **query)
        yield scale.Operation(name, [request] * scale.REQUESTS, sizes.get(name, PAGE_SIZE))


def answer_sizes(connection, side):
    """The number of accounts in the answer to each list."""
    sizes = {}
    for name, query in lists(side):
        connection.socket.sendall(side.project.admin_get_request("search", maxResults=PAGE_SIZE, **query))
        answer = b""
        while not (head := answer.partition(b"\r\n\r\n"))[1] or \
                len(head[2]) < int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head[0])[1]):
            answer += connection.received()
        if not head[0].startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"{name} answered {answer.decode()}")
        sizes[name] = head[2].count(b'"localId"')
    return sizes


def compare(sides):
    with ExitStack() as stack:
        gateways = [stack.enter_context(side.installation.serve(SEKISHO_LOOPS="1"))[0] for side in sides]
        connections = [scale.Connection(gateway) for gateway in gateways]
        pairs = zip(*(operations(side, answer_sizes(connection, side))
                      for side, connection in zip(sides, connections)))
        return [scale.compared(connections, pair) for pair in pairs]


def scans(plan):
    """Yields each scan of a plan as its kind, its table, and the number of rows that it reads."""
    if plan["Node Type"] in SCANS:
        rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        yield plan["Node Type"], plan["Relation Name"], rows * plan["Actual Loops"]
    for child in plan.get("Plans", []):
        yield from scans(child)


def explained(side, log):
    """Sends each list once, and returns the problems of the plans that PostgreSQL logs, and the number of plans."""
    url, database = side.installation.database_url, psql(side.installation.database_url, "SELECT current_database()")
    for name, value in EXPLAIN.items():
        psql(url, f"ALTER DATABASE {database} SET {name} = '{value}'")
    start = log.stat().st_size
    with side.installation.serve(SEKISHO_LOOPS="1") as (gateway, *_):
        answer_sizes(scale.Connection(gateway), side)
    with log.open() as file:
        file.seek(start)
        text = file.read()
    plans = [
        json.loads(found) for found in re.findall(r"plan:\n(\s*\{.*?\n\s*\})(?=\n\S|\s*\Z)", text, re.DOTALL)]
    relevant = [
        plan for plan in plans if "FROM account a" in plan["Query Text"] or "linked_identity l" in plan["Query Text"]]
    problems = []
    for plan in relevant:
        for kind, table, rows in scans(plan["Plan"]):
            if table in ("account", "linked_identity") and (kind == "Seq Scan" or rows > PAGE_SIZE + 1):
                problems.append(f"{kind} of {table} reads {rows} rows: {plan['Query Text'][:2000]}")
    return problems, len(relevant)


def main(binary, *counts):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes = dict(zip(COUNTS, map(int, counts))) if counts else COUNTS
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        scale.require_space(folder, sizes, BYTES_PER_ACCOUNT)
        with postgres_with_default_buffers(binary, folder) as server_url:
            # No list reads sessions.
            sides = [
                scale.Side.filled(binary, server_url, folder, name, count, with_sessions=False)
                for name, count in sizes.items()]
            for side in sides:
                for statement in SPECIAL_ROWS:
                    psql(side.installation.database_url, SETTINGS + statement.format(
                        project=side.project.name, count=special_count(side.project)), timeout=3600)
                psql(side.installation.database_url, "VACUUM ANALYZE", timeout=3600)
                psql(side.installation.database_url, "CHECKPOINT", timeout=3600)
            comparisons = compare(sides)
            print(f"{machine()}; {database_description(server_url)}")
            scale.report(sizes, comparisons)
            failed = any(comparison.failed for comparison in comparisons)
            for side in sides:
                problems, number = explained(side, folder / "postgres.log")
                print(f"\n{side.project.name}: {number} plans, {len(problems)} problems")
                print("\n".join(problems))
                failed = failed or bool(problems) or number < len(list(lists(side)))
    sys.exit(failed)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:])
