"""Deploy/schema.sql is the schema that the migrations create. `RECORD=1` updates the file."""

import os
import subprocess
from pathlib import Path

SCHEMA = Path(__file__).parents[2] / "Deploy" / "schema.sql"
# The beginnings of lines that are not part of the schema.
IGNORED_LINES = ("--", "SET ", "SELECT pg_catalog", "\\restrict", "\\unrestrict")
HEAD = "-- The schema after all migrations, for reviewers; the gateway never reads it. Sources/Storage/Migrations has the comments.\n\n"


def schema_of(database_url):
    """The schema of a database as SQL, in the form of the file."""
    command = ["pg_dump", "--schema-only", "--no-owner", "--no-privileges", database_url]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    statements = [line for line in text.splitlines() if line.strip() and not line.startswith(IGNORED_LINES)]
    # A blank line after each statement: versions of pg_dump differ in the lines between statements.
    return HEAD + "\n".join(line + "\n" if line.endswith(";") else line for line in statements).rstrip() + "\n"


def test_the_schema_file_matches_the_migrations(dev):
    schema = schema_of(dev.database_url)
    if os.environ.get("RECORD"):
        SCHEMA.write_text(schema)
    assert SCHEMA.read_text() == schema
