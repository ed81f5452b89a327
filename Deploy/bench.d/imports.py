"""Compares the import of a million users with a plain COPY of the same rows."""

import resource
import sys
import tempfile
import time
from pathlib import Path

import users
from gateway import Installation, output, private_postgres, psql

ROWS = 1_000_000
DEADLINE_SECONDS = 600

# The columns that the import fills, by table. COPY writes into the same tables, with every index and check.
COLUMNS = {
    "account": "id, email, email_verified, display_name, password_hash, password_updated_at, created_at, "
               "last_sign_in_at, valid_since, realm_id",
    "linked_identity": "realm_id, provider, subject, account_id, email, display_name, photo_url, created_at, "
                       "linked_at",
}


def seconds_of(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def copy_seconds(url, folder):
    """Exports the imported rows, empties the tables, and returns the seconds that COPY takes to insert the rows."""
    files = {}
    for table, columns in COLUMNS.items():
        files[table] = folder / f"{table}.copy"
        psql(url, f"\\copy {table} ({columns}) TO '{files[table]}'")
    psql(url, "TRUNCATE account CASCADE")
    script = "".join(f"\\copy {table} ({columns}) FROM '{files[table]}'\n" for table, columns in COLUMNS.items())
    return seconds_of(lambda: output(["psql", "-Xqv", "ON_ERROR_STOP=1", url], input=script, timeout=DEADLINE_SECONDS))


def main(binary):
    with tempfile.TemporaryDirectory(prefix="sekisho-bench-") as path:
        folder = Path(path)
        folder.chmod(0o711)
        with private_postgres(binary, folder) as server_url:
            installation = Installation(binary, server_url)
            installation.run("projects", "create", "bench")
            file = folder / "users.json"
            users.write_export(file, (users.user(number, ROWS) for number in range(ROWS)))
            arguments = ["users", "import", str(file), "--project", "bench", *users.IMPORT_OPTIONS]
            import_seconds = seconds_of(lambda: installation.run(*arguments, timeout=DEADLINE_SECONDS))
            # The maximum of all child processes so far. The import uses more memory than the others.
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            export_seconds = seconds_of(lambda: installation.run(
                "users", "export", str(folder / "out.json"), "--project", "bench", timeout=DEADLINE_SECONDS))
            plain_seconds = copy_seconds(installation.database_url, folder)
    for name, seconds in (("users import", import_seconds), ("users export", export_seconds),
                          ("plain COPY of the same rows", plain_seconds)):
        print(f"{name}: {seconds:.1f} s, {ROWS / seconds:.0f} rows/s")
    print(f"resident memory of the import: {memory:.0f} MiB at most")
    print(f"speed of the import relative to COPY: {plain_seconds / import_seconds:.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
