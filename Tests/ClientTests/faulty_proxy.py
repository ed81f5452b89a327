"""A proxy in front of a gateway, with faults that a test plans for single requests."""

import http.client
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

DELAY_SECONDS = 2
FAULTS = {
    "drops the request": lambda handler: handler.drop_connection(),
    "loses the response": lambda handler: (handler.forward(), handler.drop_connection()),
    "delays the request": lambda handler: (time.sleep(DELAY_SECONDS), handler.respond(*handler.forward())),
    "cuts the response": lambda handler: handler.respond_with_half(*handler.forward()),
    "garbles the body": lambda handler: handler.respond(200, [], bytes(byte ^ 0x5A for byte in handler.forward()[2])),
    "garbles the response": lambda handler: (handler.forward(), handler.write_and_close(b"\xff\x00 not HTTP \r\n\r\n")),
    "answers in place of the gateway": lambda handler: handler.respond(
        200, [("Content-Type", "text/html")], b"<h1>Accept the terms</h1>"),
    "is overloaded": lambda handler: handler.respond(503, [("Retry-After", "1")], b"busy"),
}
REMOVED_HEADERS = {"connection", "content-length", "transfer-encoding"}


class Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, gateway):
        self.target = urlsplit(gateway.url).netloc
        self.planned_faults = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def plan_fault(self, fault, operation):
        """Plans a fault (a key of ``FAULTS``) for the next request whose path ends with `operation`."""
        with self.lock:
            self.planned_faults.append((operation, FAULTS[fault]))

    def take_fault(self, path):
        """Removes and returns the next fault that is planned for a path; `None` if there is none."""
        with self.lock:
            for index, (operation, fault) in enumerate(self.planned_faults):
                if path.split("?")[0].endswith(operation):
                    del self.planned_faults[index]
                    return fault

    def handle_error(self, request, client_address):
        """Prints nothing, because clients may close their connection, for example after a timeout."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.take_fault(self.path)
        if fault:
            fault(self)
        else:
            self.respond(*self.forward())

    do_GET = do_POST

    def forward(self):
        """Sends the request to the gateway and returns the status, header fields and body of the response."""
        connection = http.client.HTTPConnection(self.server.target, timeout=30)
        connection.request(self.command, self.path, self.body, dict(self.headers.items()))
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, response.getheaders(), body

    def respond(self, status, headers, body):
        self.send(status, headers, len(body))
        self.wfile.write(body)

    def respond_with_half(self, status, headers, body):
        """Announces the whole body, sends its first half and closes the connection."""
        self.send(status, headers, len(body))
        self.write_and_close(body[:len(body) // 2])

    def send(self, status, headers, length):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in REMOVED_HEADERS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def write_and_close(self, octets):
        """Sends octets and closes the connection."""
        self.wfile.write(octets)
        self.drop_connection()

    def drop_connection(self):
        self.close_connection = True

    def log_message(self, *_):
        """Prints nothing, because the output of the tests should show only failures."""


@contextmanager
def faulty_proxy(gateway):
    """Runs a proxy on loopback and yields it."""
    server = Proxy(gateway)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
