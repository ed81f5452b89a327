"""Blocking functions as Deploy/guides/hooks.md describes them, with the code of the guide and Firebase's libraries."""

import json
import os
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

import gateway
from client import fresh_email
from conftest import new_folder
from documents import GUIDES, code_block
from firebase_node import SDK_FOLDER, requires_node_sdk

pytestmark = pytest.mark.slow

GUIDE = GUIDES / "hooks.md"


@contextmanager
def function(answer):
    """Serves a blocking function. Yields its URL, and the list of the requests' bodies."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(json.loads(body))
            status, reply = answer(body)
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/function", bodies
    finally:
        server.shutdown()


def configure(url, functions):
    response = requests.patch(
        f"{url}/v2/projects/demo/config?updateMask=blockingFunctions", headers={"Authorization": "Bearer owner"},
        json={"blockingFunctions": {"triggers": {name: {"functionUri": uri} for name, uri in functions.items()}}},
        timeout=30)
    assert response.status_code == 200, response.text


def sign_up(url, email):
    return requests.post(
        f"{url}/v1/accounts:signUp?key=any", json={"email": email, "password": "secret12", "returnSecureToken": True},
        timeout=90)


def test_the_code_of_the_guide_vetoes_sign_ups(dev, folder, empty_database):
    code = {}
    exec(code_block(GUIDE, "Answer"), code)
    with gateway.dev(new_folder(folder), "--signed-tokens", "--database-url", empty_database) as running:
        seen = {}

        def answer(body):
            return code["answer"](body, f"{running.url}/demo/.well-known/jwks.json", seen["url"])

        with function(answer) as (url, _):
            seen["url"] = url
            completed = subprocess.run(
                ["bash", "-c", code_block(GUIDE, "Configure the functions")], capture_output=True, text=True,
                timeout=60, env={**os.environ, "SEKISHO_URL": running.url, "PROJECT": "demo", "SERVICE_KEY": "owner",
                                 "FUNCTION_URL": url})
            assert json.loads(completed.stdout)["blockingFunctions"]["triggers"]["beforeCreate"]["functionUri"] == url
            refused = sign_up(running.url, "eve@elsewhere.example")
            assert refused.status_code == 400
            message = refused.json()["error"]["message"]
            assert message.startswith("BLOCKING_FUNCTION_ERROR_RESPONSE") and "Only members can sign up." in message
            accepted = sign_up(running.url, "ada@example.com")
            assert accepted.status_code == 200, accepted.text
            users = requests.post(
                f"{running.url}/v1/accounts:lookup?key=any", json={"idToken": accepted.json()["idToken"]},
                timeout=30).json()["users"]
            assert users[0]["displayName"] == "Member"
