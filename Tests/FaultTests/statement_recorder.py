"""A proxy between a gateway and PostgreSQL that records each statement with the values of its first execution.

It reads only the messages of the client (PostgreSQL documentation, section 55.7).
"""

import socket
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Recorded:
    text: bytes
    types: tuple
    # The session's command-line options.
    options: str
    values: list = field(default_factory=list)
    formats: list = field(default_factory=list)


class StatementRecorder:
    """Forwards connections from a loopback port to the socket of a server."""

    def __init__(self, server_path):
        self._server_path = server_path
        self._lock = threading.Lock()
        self._recorded = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    @property
    def statements(self):
        with self._lock:
            return [recorded for recorded in self._recorded.values() if recorded.values is not None]

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server_path)
            session = _Session(self._record)
            threading.Thread(target=_copy, args=(client, server, session.read), daemon=True).start()
            threading.Thread(target=_copy, args=(server, client, lambda _: None), daemon=True).start()

    def _record(self, statement):
        with self._lock:
            self._recorded.setdefault((statement.text, statement.types, statement.options), statement)


def _copy(source, target, observe):
    while True:
        try:
            data = source.recv(1 << 16)
            if data:
                observe(data)
                target.sendall(data)
        except OSError:
            data = b""
        if not data:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # the other direction has closed it
            return


class _Session:
    """Reads the messages of one client."""

    def __init__(self, record):
        self._record = record
        self._buffer = b""
        self._options = None
        self._prepared = {}

    def read(self, data):
        self._buffer += data
        while self._options is None and len(self._buffer) >= 4:
            length = struct.unpack("!i", self._buffer[:4])[0]
            if len(self._buffer) < length:
                return
            message, self._buffer = self._buffer[4:length], self._buffer[length:]
            if struct.unpack("!i", message[:4])[0] == 3 << 16:
                words = message[4:].split(b"\0")
                parameters = dict(zip(words[::2], words[1::2]))
                self._options = parameters.get(b"options", b"").decode()
        while len(self._buffer) >= 5:
            length = 1 + struct.unpack("!i", self._buffer[1:5])[0]
            if len(self._buffer) < length:
                return
            kind, message, self._buffer = self._buffer[:1], self._buffer[5:length], self._buffer[length:]
            if kind == b"P":
                self._parse(message)
            elif kind == b"B":
                self._bind(message)

    def _parse(self, message):
        name, text, rest = message.split(b"\0", 2)
        count = struct.unpack("!h", rest[:2])[0]
        types = struct.unpack(f"!{count}I", rest[2:2 + 4 * count])
        self._prepared[name] = (text, types)

    def _bind(self, message):
        _, name, rest = message.split(b"\0", 2)
        formats, rest = _shorts(rest)
        count, rest = struct.unpack("!h", rest[:2])[0], rest[2:]
        values = []
        for _ in range(count):
            length, rest = struct.unpack("!i", rest[:4])[0], rest[4:]
            values.append(None if length < 0 else rest[:length])
            rest = rest[max(length, 0):]
        text, types = self._prepared[name]
        self._record(Recorded(text, types, self._options, values, list(formats)))


def _shorts(octets):
    count = struct.unpack("!h", octets[:2])[0]
    return struct.unpack(f"!{count}h", octets[2:2 + 2 * count]), octets[2 + 2 * count:]


@contextmanager
def recording(server_path):
    recorder = StatementRecorder(server_path)
    try:
        yield recorder
    finally:
        recorder.close()
