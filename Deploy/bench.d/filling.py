"""Fills a project with the rows that an import of generated users would create.

SQL generates most of the rows, because that is faster than an import.
"""

import users
from gateway import psql

# The number of users that `sekisho users import` imports. SQL generates the rows of the others.
IMPORTED_USERS = 100
# The time limit of one statement.
STATEMENT_SECONDS = 3600
SETTINGS = "SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB';"

# Rows of account and linked_identity for the users in {numbers}. They have the values that users.py generates. Values
# that are the same for all users are copied from the imported user 0. OFFSET 0 keeps PostgreSQL from splitting its hash
# again for every user.
ACCOUNTS = """
SELECT t.realm_id, 'user' || lpad((n * 7919 % {count})::text, 24, '0') AS id,
    'user' || n || '@example.com' AS email, n % 2 = 0 AS email_verified, '+1' || 2000000000 + n AS phone_number,
    'User ' || n AS display_name, t.hash[1] || '$' || t.hash[2] || '$' || t.hash[3] || '$'
        || rtrim(encode('\\x0000'::bytea || int8send(n), 'base64'), '=') || '$' || t.hash[5] AS password_hash,
    t.password_updated_at, timestamptz 'epoch' + (1600000000000 + n) * interval '1 millisecond' AS created_at,
    timestamptz 'epoch' + (1700000000000 + n) * interval '1 millisecond' AS last_sign_in_at, t.valid_since
FROM {numbers} n,
    (SELECT *, string_to_array(password_hash, '$') AS hash FROM account
        WHERE email = 'user0@example.com' OFFSET 0) t"""
IDENTITIES = """
SELECT t.realm_id, t.provider, '1' || lpad(n::text, 20, '0') AS subject,
    'user' || lpad((n * 7919 % {count})::text, 24, '0') AS account_id, 'user' || n || '@example.com' AS email,
    'User ' || n AS display_name, 'https://example.com/' || n || '.png' AS photo_url, t.created_at,
    timestamptz 'epoch' + (1600000000000 + n) * interval '1 millisecond' AS linked_at
FROM {numbers} n, (SELECT * FROM linked_identity WHERE email = 'user0@example.com') t WHERE n % 4 = 0"""
COLUMNS = {
    "account": "realm_id, id, email, email_verified, phone_number, display_name, password_hash, "
               "password_updated_at, created_at, last_sign_in_at, valid_since",
    "linked_identity": "realm_id, provider, subject, account_id, email, display_name, photo_url, created_at, "
                       "linked_at",
}
# Empties a table, and inserts its rows again. PostgreSQL then writes no write-ahead log of the rows that the same
# transaction inserts (see `wal_level` in gateway.py). psql executes the statements of one call in one transaction.
EMPTY = """
CREATE TEMP TABLE imported AS SELECT * FROM {table};
TRUNCATE {table};
INSERT INTO {table} SELECT * FROM imported"""
# Creates one session per account.
SESSIONS = """
INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
SELECT realm_id, gen_random_uuid(), id, generation, 'password', last_sign_in_at, last_sign_in_at, last_sign_in_at
FROM account"""

# Stores statements in a table `definition`: they recreate the indexes of account, linked_identity and session, and the
# foreign keys that refer to account. Indexes are recreated in their original order, because the planner prefers the
# newest of several indexes with equal costs. Foreign keys come last.
DEFINITIONS = """
CREATE TABLE definition AS
SELECT i.indexrelid::bigint AS position, CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
    ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
    END AS statement
FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'p'
WHERE i.indrelid IN ('account'::regclass, 'linked_identity'::regclass, 'session'::regclass)
UNION ALL
SELECT 1e12::bigint + oid::bigint,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype = 'f' AND confrelid = 'account'::regclass"""
# Drops the foreign keys and indexes that DEFINITIONS has stored; foreign keys first, because they depend on an index.
DROP = """
DO $$
DECLARE command text;
BEGIN
    FOR command IN SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'account'::regclass
    LOOP EXECUTE command; END LOOP;
    FOR command IN SELECT CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
            ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) END
        FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'p'
        WHERE i.indrelid IN ('account'::regclass, 'linked_identity'::regclass, 'session'::regclass)
    LOOP EXECUTE command; END LOOP;
END $$"""


def fill(installation, folder, project, count, with_sessions=True):
    """Imports the first users, adds the others and a session for each account (unless `with_sessions` is false), and
    updates the planner's statistics.

    The project must be the only one in its database, and have no accounts.
    """
    file = folder / "users.json"
    users.write_export(file, (
        users.user(number, count) | {"phoneNumber": users.phone_number(number)}
        for number in range(min(IMPORTED_USERS, count))))
    installation.run("users", "import", str(file), "--project", project, *users.IMPORT_OPTIONS)
    url = installation.database_url
    require_equal_rows(url, count)

    def run(*statements):
        psql(url, SETTINGS + ";".join(statements), timeout=STATEMENT_SECONDS)

    run(DEFINITIONS, DROP)
    numbers = f"generate_series({IMPORTED_USERS}::bigint, {count - 1})"
    for table, rows in (("account", ACCOUNTS), ("linked_identity", IDENTITIES)):
        run(EMPTY.format(table=table),
            f"INSERT INTO {table} ({COLUMNS[table]}) {rows.format(numbers=numbers, count=count)}")
    if with_sessions:
        run("TRUNCATE session", SESSIONS)
    for statement in psql(url, "SELECT statement FROM definition ORDER BY position").splitlines():
        run(statement)
    run("DROP TABLE definition")
    psql(url, "VACUUM ANALYZE", timeout=STATEMENT_SECONDS)
    # Otherwise the measured reads would have to evict dirty pages of the insertions, and so write them first.
    psql(url, "CHECKPOINT", timeout=STATEMENT_SECONDS)


def require_equal_rows(url, count):
    """Exits with an error unless ACCOUNTS and IDENTITIES generate the same rows as the import."""
    numbers = f"generate_series(0::bigint, {min(IMPORTED_USERS, count) - 1})"
    for table, rows in (("account", ACCOUNTS), ("linked_identity", IDENTITIES)):
        generated, imported = rows.format(numbers=numbers, count=count), f"SELECT {COLUMNS[table]} FROM {table}"
        different = psql(url, f"(({generated}) EXCEPT ({imported})) UNION ALL (({imported}) EXCEPT ({generated}))")
        if different:
            raise SystemExit(f"the generated rows of {table} differ from imported ones:\n{different}")
