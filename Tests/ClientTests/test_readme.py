"""The commands in README.md and in three guides have the described results; the files that README.md names exist."""

import json
import os
import re
import secrets
import signal
import subprocess
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote

import jwt
import pytest
import requests

import gateway
import generator
from documents import GUIDES, README, ROOT, code_block, linked_files, replaced, section
from installation import new_database


def test_the_links_in_the_readme_lead_to_existing_files():
    files = linked_files(README)
    assert len(files) > 10
    for file in files:
        assert file.exists(), file


def test_the_folders_in_the_map_of_the_readme_exist():
    rows = re.findall(r"^\| (`.*?) \|", section(README, "Map of the folders"), re.MULTILINE)
    names = re.findall(r"`(.+?)`", " ".join(rows))
    assert len(names) > 10
    for name in names:
        assert (ROOT / name).exists(), name


def test_the_files_in_the_walk_through_one_request_exist():
    names = re.findall(r"`([\w+/]+\.swift)`", section(README, "One request: sign in with Apple"))
    assert len(names) > 10
    folder = None
    # A name without a folder is in the folder of the name before it.
    for name in names:
        file = ROOT / "Sources" / name if "/" in name else folder / name
        assert file.exists(), name
        folder = file.parent


@pytest.mark.parametrize("title", ["Send the API key", "Send a service key"])
def test_the_lines_of_the_guide_that_send_a_key_are_in_the_tested_clients(title):
    text = section(GUIDES / "generated-clients.md", title)
    lines = dict(re.findall(r"^\| `([\w-]+)` \| `(.*)` \|$", text, re.MULTILINE))
    scenarios = Path(__file__).parent / "scenarios"
    files = {
        "swift6": "swift/Sources/Scenario/main.swift", "typescript-fetch": "scenario.ts", "python": "scenario.py",
        "java": "java/Scenario.java", "go": "go/main.go"}
    # No test compiles a client in Kotlin.
    assert {"swift6", "typescript-fetch", "python"} <= lines.keys() <= files.keys() | {"kotlin"}
    for name in lines.keys() - {"kotlin"}:
        assert lines[name] in (scenarios / files[name]).read_text()


def test_the_guide_lists_the_tested_generators_with_their_version_and_options():
    text = section(GUIDES / "generated-clients.md", "Choose a generator")
    version = metadata.version("openapi-generator-cli")
    row = rf"^\| [^|]+ \| OpenAPI Generator {version}, `([\w-]+)`[^|]* \| (.*) \|$"
    rows = dict(re.findall(row, text, re.MULTILINE))
    tested = {name: options for name, options in generator.OPTIONS_BY_LANGUAGE.items() if name != "kotlin"}
    # The test of Go brings a module of its own.
    listed = {name: [option for option in tested[name] if option != "withGoMod=false"] for name in tested}
    assert rows == {name: f"`{','.join(options)}`" if options else "none" for name, options in listed.items()}


def test_the_guide_generates_the_tested_swift_client():
    options = ",".join(generator.OPTIONS_BY_LANGUAGE["swift6"])
    commands = code_block(GUIDES / "generated-clients.md", "Generate the client")
    assert f"-g swift6 -o client \\\n  --additional-properties {options}\n" in commands


@pytest.fixture
def program_folder(tmp_path):
    """A folder for the variable PATH, which contains the gateway as `sekisho`, and for the files of a test."""
    (tmp_path / "sekisho").symlink_to(Path(gateway.binary()).resolve())
    return tmp_path


def test_the_commands_for_production_in_the_readme_start_a_gateway(dev, program_folder):
    port = gateway.free_port()
    script = code_block(README, "In production")
    # The database server of the test has no other port than its socket. Other tests use the same server.
    socket = re.search(r"[?&]host=([^&]+)", dev.database_url)[1]
    role = f"sekisho_{secrets.token_hex(4)}"
    script = replaced(script, "@127.0.0.1/sekisho", f"@/{role}?host={socket}")
    script = replaced(script, "//sekisho:", f"//{role}:")
    script = replaced(script, "ROLE sekisho", f"ROLE {role}")
    script = replaced(script, "DATABASE sekisho OWNER sekisho", f"DATABASE {role} OWNER {role}")
    script = replaced(script, "\nsekisho serve\n", f"\nexport SEKISHO_LISTEN=127.0.0.1:{port}\nexec sekisho serve\n")
    sudo = program_folder / "sudo"
    variables = f"PGHOST={unquote(socket)} PGUSER=postgres PGDATABASE=postgres"
    sudo.write_text(f'#!/bin/sh\n[ "$1 $2" = "-u postgres" ] && shift 2 && exec env {variables} "$@"\n')
    sudo.chmod(0o755)
    log = program_folder / "log"
    environment = gateway.clean_environment(PATH=f"{program_folder}:{os.environ['PATH']}")
    command = ["bash", "-euo", "pipefail", "-c", script]
    with log.open("w") as output:
        shell = subprocess.Popen(command, cwd=program_folder, env=environment, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}"
        gateway.wait_for(lambda: gateway.has_status_200(url + "/readyz"), shell, log)
        key = re.search(r"^pk_\S+$", log.read_text(), re.MULTILINE)[0]
        session = requests.post(f"{url}/v1/accounts:signUp?key={key}", json={}, timeout=30).json()
        verify_token(url, session["idToken"])
    finally:
        status = gateway.stop(shell, signal.SIGTERM)
    assert status == 0, log.read_text()


def test_a_user_imported_as_in_the_guide_keeps_id_and_password(new_installation, program_folder):
    installation = new_installation().with_project("my-app")
    # The example in the README of github.com/firebase/scrypt, with the password `user1password`. The guide uses its
    # hash parameters.
    user = {
        "localId": "ada", "email": "ada@example.com", "salt": "42xEC+ixf3L2lw==",
        "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="}
    (program_folder / "users.json").write_text(json.dumps({"users": [user]}))
    environment = gateway.clean_environment(**installation.environment, PATH=f"{program_folder}:{os.environ['PATH']}")
    script = code_block(GUIDES / "leaving-firebase.md", "Import the users")
    completed = subprocess.run(
        ["bash", "-euc", script], cwd=program_folder, env=environment, capture_output=True, text=True, timeout=120)
    assert completed.returncode == 0, completed.stderr
    with installation.starting(installation.create_api_key("my-app")) as serve:
        gateway.wait_for(serve.is_ready, serve.process, serve.log)
        response = requests.post(
            f"{serve.url}/v1/accounts:signInWithPassword?key={serve.api_key}",
            json={"email": user["email"], "password": "user1password"}, timeout=30)
    assert response.json()["localId"] == user["localId"]


def verify_token(url, token):
    """Verifies an ID token with the keys at `url`. The issuer is the one in README.md."""
    issuer = "https://auth.example.com/my-app"
    assert f"issuer `{issuer}`, audience `my-app`" in README.read_text()
    discovery = requests.get(f"{url}/my-app/.well-known/openid-configuration", timeout=30).json()
    assert discovery["issuer"] == issuer
    keys = jwt.PyJWKClient(discovery["jwks_uri"].replace("https://auth.example.com", url))
    key = keys.get_signing_key_from_jwt(token)
    assert jwt.decode(token, key, algorithms=["ES256"], audience="my-app", issuer=issuer)["sub"]
