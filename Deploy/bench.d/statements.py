"""Reads the gateway's statements from PostgreSQL's log, and converts them to pgbench scripts.

The log is the source, because a copy of the statements in this folder could become outdated.
"""

import re
from dataclasses import dataclass

from gateway import Client, psql

# PostgreSQL's settings that log every statement. With the default verbosity, it logs the parameters as DETAIL.
LOG_SETTINGS = {"log_statement": "all", "log_error_verbosity": "default"}
# A script selects a row and uses it in this many transactions. The rate that pgbench reaches includes the
# time of the SELECT.
TRANSACTIONS_PER_ROW = 100

# Patterns of parameters in the log, with the PostgreSQL type that the script gives them. The first matching pattern
# decides.
TYPES = [
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uuid"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*", "timestamptz"),
    (r"\\x([0-9a-f]{2})*", "bytea"),
    (r"[tf]", "boolean"),
    (r"\{[-\d,]+\}", "bigint[]"),
    (r"\{.*\}", "text[]"),
    (r"-?\d+", "bigint"),
    (r".*", "text"),
]

# Selects the next row when `left`, the number of transactions that still use the current row, is 0. No two clients use
# the same row.
NEXT_ROW = f"""\\if :left = 0
\\set n random(0, :rows / :clients - 1) * :clients + :client_id
SELECT s.realm_id AS project, s.id AS session, s.counter FROM bench_row b JOIN session s ON s.id = b.session
WHERE b.n = :n \\gset
\\set left {TRANSACTIONS_PER_ROW}
\\endif
\\set left :left - 1
"""


@dataclass
class Statement:
    text: str
    # The parameters in the format of the log; None is NULL.
    values: list

    def script(self, expression_for, prefix="c"):
        """Returns a pgbench script that executes the statement, and the script's constants.

        `expression_for(value, kind)` returns the expression that replaces a value of the type `kind`, or None if the
        value becomes a constant. Names of constants begin with `prefix`.
        """
        constants = {}

        def replacement(found):
            number = int(found[1])
            value = self.values[number - 1]
            if value is None:
                return "NULL"
            kind = next(name for pattern, name in TYPES if re.fullmatch(pattern, value, re.DOTALL))
            if expression := expression_for(value, kind):
                return expression
            constants[f"{prefix}{number}"] = value
            return f":{prefix}{number}::{kind}"

        return re.sub(r"\$(\d+)", replacement, self.text) + ";\n", constants


def session_script(statement):
    """Returns the script of a look-up or refresh, and its constants.

    The session varies, and if tokens rotate, the counter varies too.
    """
    script, constants = statement.script(
        lambda _, kind: {"uuid": ":session::uuid", "bigint": ":counter::bigint"}.get(kind))
    # Of these statements, only a refresh has a Boolean parameter: whether the token rotates.
    rotates = "t" in statement.values
    return NEXT_ROW + script + ("\\set counter :counter + 1\n" if rotates else ""), constants | {"left": "0"}


def sign_up_script(statement, account):
    """Returns a script that repeats the sign-up of `account` with new IDs, and its constants.

    The script calls gen_random_uuid(), because pgbench cannot generate UUIDs.
    """
    script, constants = statement.script(
        lambda value, kind: ":account::text" if value == account else "gen_random_uuid()" if kind == "uuid" else None)
    return "\\set account random(1000000000000000000, 9000000000000000000)\n" + script, constants


def apple_script(statements, expressions):
    """Returns the script of a sign-in with Apple, and its constants.

    `expressions` maps values of the recorded user to the expressions that replace them.
    """
    script, constants = "", {}
    for number, statement in enumerate(statements):
        def expression_for(value, kind):
            # The only parameter of the type text[] is a list of replay keys. Each sign-in stores a new replay key.
            if kind == "text[]":
                return "ARRAY[encode(sha256(gen_random_uuid()::text::bytea), 'hex')]"
            return "gen_random_uuid()" if kind == "uuid" else expressions.get(value)

        text, more = statement.script(expression_for, f"s{number}_")
        script += text
        constants |= more
    return script, constants


# Selects the next user for a returning sign-in, in the same way as NEXT_ROW.
NEXT_PERSON = f"""\\if :left = 0
\\set n random(0, :rows / :clients - 1) * :clients + :client_id
SELECT subject, email, account FROM bench_person WHERE n = :n \\gset
\\set left {TRANSACTIONS_PER_ROW}
\\endif
\\set left :left - 1
"""

# Chooses the ID of a new account. The ID is also the user's subject at Apple, and the beginning of the email address.
NEW_PERSON = """\\set person random(1000000000000000000, 9000000000000000000)
"""


def apple_scripts(log, client, apple):
    """Returns the pgbench scripts of a first and of a returning sign-in with Apple."""
    subject = "recorded"
    # Two sign-ins of new users fill the gateway's caches: this one, and that of "warm-up-2".
    client.post("signInWithIdp", apple.sign_in_bodies(["warm-up"])[0])
    first, answer = recorded(
        log, lambda body: client.post("signInWithIdp", body), apple.sign_in_bodies(["warm-up-2", subject]), count=2)
    returning, _ = recorded(
        log, lambda body: client.post("signInWithIdp", body), apple.sign_in_bodies([subject] * 2), count=2)
    new_user = {subject: ":person::text", f"{subject}@example.com": ":person || '@example.com'",
                answer["localId"]: ":person::text"}
    known_user = {
        subject: ":subject::text", f"{subject}@example.com": ":email::text", answer["localId"]: ":account::text"}
    first_script, first_constants = apple_script(first, new_user)
    returning_script, returning_constants = apple_script(returning, known_user)
    return {
        "apple-first": (NEW_PERSON + first_script, first_constants),
        "apple-returning": (NEXT_PERSON + returning_script, returning_constants | {"left": "0"}),
    }


def pgbench_scripts(installation, log, sekisho_profile_key, firebase_profile_key, apple):
    """Returns the pgbench script and its constants for each operation, by name."""
    for name, value in LOG_SETTINGS.items():
        psql(installation.database_url, f"ALTER DATABASE bench SET {name} = '{value}'")
    # With one event loop, the second call of an operation finds keys and projects in the cache, so that it sends only
    # the statements of the operation.
    with installation.serve(SEKISHO_LOOPS="1") as (gateway, _):
        # Refresh tokens rotate in a project with the profile `sekisho`, and do not in one with `firebase`.
        rotating, not_rotating = Client(gateway, sekisho_profile_key), Client(gateway, firebase_profile_key)
        (sign_up,), answer = recorded(log, lambda _: rotating.post("signUp", {}))
        (lookup,), _ = recorded(log, lambda _: rotating.post("lookup", {"idToken": answer["idToken"]}))
        (refresh,), _ = recorded(log, lambda _: rotating.refresh(answer["refreshToken"]))
        token = not_rotating.post("signUp", {})["refreshToken"]
        (refresh_lasting,), _ = recorded(log, lambda _: not_rotating.refresh(token))
        scripts_of_apple = apple_scripts(log, rotating, apple)
    for name in LOG_SETTINGS:
        psql(installation.database_url, f"ALTER DATABASE bench RESET {name}")
    return {
        "lookup": session_script(lookup), "refresh": session_script(refresh),
        "refresh-lasting": session_script(refresh_lasting), "sign-up": sign_up_script(sign_up, answer["localId"]),
    } | scripts_of_apple


def recorded(log, call, arguments=(None, None), count=1):
    """Calls `call` with each of the two `arguments`, and returns the statements and the answer of the second call.

    The first call fills the caches. Exits with an error unless the second call executes `count` statements.
    """
    call(arguments[0])
    offset = log.stat().st_size
    answer = call(arguments[1])
    with log.open() as file:
        file.seek(offset)
        statements = statements_in(file.read())
    if len(statements) != count:
        raise SystemExit(f"expected {count} statements, got {len(statements)}: {statements}")
    return statements, answer


def statements_in(log_text):
    """Returns the statements in a part of the log, with their parameters."""
    entries = re.split(r"^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] ", log_text, flags=re.MULTILINE)
    statements = []
    for entry in entries:
        entry = entry.rstrip("\n").replace("\n\t", "\n")
        if found := re.match(r"LOG:  execute \S+: (.*)", entry, re.DOTALL):
            statements.append(Statement(found[1], []))
        elif entry.startswith("DETAIL:  parameters: "):
            for null, value in re.findall(r"\$\d+ = (?:(NULL)|'((?:[^']|'')*)')", entry):
                statements[-1].values.append(None if null else value.replace("''", "'"))
    return statements
