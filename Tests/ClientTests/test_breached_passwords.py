"""`sekisho serve` with a range API for breached passwords, like that of Have I Been Pwned."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from client import Client, fresh_email
from installation import DEMO_PROJECT

# SHA-1 of this password is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
BREACHED = "password"


class RangeAPI(BaseHTTPRequestHandler):
    requested = []

    def do_GET(self):
        self.requested.append(self.path)
        body = b"1E4C9B93F3F0682250B6CF8331B7EE68FD8:9545824\r\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def range_url():
    """The URL of a range API that knows only the password `BREACHED`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), RangeAPI)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/range"
    server.shutdown()
    server.server_close()


def sign_up(client, password):
    return client.call("signUp", {"email": fresh_email(), "password": password})


def test_breached_passwords_are_rejected_unless_the_range_api_is_unreachable(fresh_installation, contract, range_url):
    fresh_installation.run_ok(f"projects policy {DEMO_PROJECT} --set rejectsBreachedPasswords=true")
    with fresh_installation.serving(SEKISHO_BREACHED_PASSWORDS_URL=range_url) as serve:
        client = Client(serve, contract)
        assert sign_up(client, BREACHED).code == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
        assert sign_up(client, "correct horse battery").status == 200
        assert RangeAPI.requested[0] == "/range/5BAA6"
        # Only the first five digits of a hash leave the gateway.
        assert {len(path) for path in RangeAPI.requested} == {len("/range/5BAA6")}
        assert serve.metric("sekisho_breach_lookups_failed_total") == 0
    # No server listens on port 9.
    with fresh_installation.serving(SEKISHO_BREACHED_PASSWORDS_URL="https://127.0.0.1:9/range/") as serve:
        client = Client(serve, contract)
        assert [sign_up(client, BREACHED).status for _ in range(3)] == [200] * 3
        assert serve.metric("sekisho_breach_lookups_failed_total") == 3
        lines = [json.loads(line) for line in serve.log.read_text().splitlines()]
        reasons = [line["reason"] for line in lines if "list of breached passwords" in line["message"]]
        # The gateway logs this warning at most once in ten minutes.
        assert reasons == ["unreachable"]
        assert "5BAA6" not in serve.log.read_text().upper()
