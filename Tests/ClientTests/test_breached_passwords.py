"""`sekisho serve` and a list of breached passwords."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from exchange import Client, fresh_email
from installation import DEMO_PROJECT

# SHA-1 of this password is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
BREACHED = "password"


class Range(BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        body = b"1E4C9B93F3F0682250B6CF8331B7EE68FD8:9545824\r\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def breached():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Range)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/range"
    server.shutdown()
    server.server_close()


def sign_up(client, password):
    return client.call("signUp", {"email": fresh_email(), "password": password})


def failures(serve):
    text = requests.get(serve.url + "/metrics", timeout=30).text
    return next(line for line in text.splitlines() if line.startswith("sekisho_breach_lookups_failed_total")).split()[1]


def test_a_breached_password_is_refused_and_a_list_that_is_down_keeps_nobody_out(own, contract, breached):
    own.done(f"projects policy {DEMO_PROJECT} --set rejectsBreachedPasswords=true")
    with own.serving(SEKISHO_BREACHED_PASSWORDS_URL=breached) as serve:
        client = Client(serve, contract)
        assert sign_up(client, BREACHED).code == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
        assert sign_up(client, "correct horse battery").status == 200
        assert Range.asked[0] == "/range/5BAA6"
        assert {len(path) for path in Range.asked} == {len("/range/5BAA6")}
        assert failures(serve) == "0"
    with own.serving(SEKISHO_BREACHED_PASSWORDS_URL="https://127.0.0.1:9/range/") as serve:
        client = Client(serve, contract)
        assert [sign_up(client, BREACHED).status for _ in range(3)] == [200] * 3
        assert failures(serve) == "3"
        lines = [json.loads(line) for line in serve.log.read_text().splitlines()]
        told = [line["reason"] for line in lines if line["message"] == "breached passwords unknown"]
        assert told == ["unreachable"]
        assert "5BAA6" not in serve.log.read_text().upper()
