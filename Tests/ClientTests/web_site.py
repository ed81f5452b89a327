"""A web site on loopback, for tests with a browser."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

WEB_APP_FOLDER = Path(__file__).parent / "web_app"
TYPES = {".html": "text/html", ".js": "text/javascript"}
WELCOME = ("text/html", b"<!DOCTYPE html><title>App</title><link rel=icon href=data:,><h1>Welcome</h1>")


@dataclass
class Received:
    method: str
    path: str
    headers: dict
    # The fields of the query, or of the form that was posted.
    fields: dict


class Site:
    def __init__(self, port):
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.received = []


def web_app_files(*names):
    """The pages and scripts of ``WEB_APP_FOLDER`` with these names, by path."""
    return {f"/{name}": (TYPES[Path(name).suffix], (WEB_APP_FOLDER / name).read_bytes()) for name in names}


@contextmanager
def site(pages=None, *, tls=None, port=0):
    """Runs a site on loopback. `pages` maps paths to pairs of content type and body; other paths have a welcome page.

    `tls` is the context of its certificate.
    """
    pages = {} if pages is None else pages

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(urlsplit(self.path).query)

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def answer(self, fields):
            path = urlsplit(self.path).path
            running.received.append(
                Received(self.command, path, dict(self.headers), dict(parse_qsl(fields, strict_parsing=bool(fields)))))
            content_type, body = pages.get(path, WELCOME)
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            # Without this header, a browser does not load a module from another origin.
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        running = Site(server.server_port)
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield running
        finally:
            server.shutdown()
            thread.join()
