"""What the kernel tells of processes (proc(5))."""

import ipaddress
import os
from pathlib import Path

LISTENING = "0A"


def children(process_id):
    """The processes that any thread of a process has started and that still run."""
    lists = Path(f"/proc/{process_id}/task").glob("*/children")
    return [int(number) for path in lists for number in path.read_text().split()]


def exists(process_id):
    return Path(f"/proc/{process_id}").exists()


def running_with(text):
    """The processes whose command line has `text` in it."""
    return [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if text in _read(path)]


def listening(process_id):
    """The TCP addresses on which a process takes connections."""
    sockets = {_target(path) for path in Path(f"/proc/{process_id}/fd").iterdir()}
    return [_address(line[1]) for line in _tcp() if line[3] == LISTENING and f"socket:[{line[9]}]" in sockets]


def _target(path):
    """`None` for a descriptor that was closed since it was listed."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None


def _tcp():
    for name in ("tcp", "tcp6"):
        yield from (line.split() for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:])


def _address(text):
    """Four bytes at a time are in the machine's order, the port is not."""
    host, port = text.split(":")
    words = [bytes.fromhex(host[start:start + 8])[::-1] for start in range(0, len(host), 8)]
    return f"{ipaddress.ip_address(b''.join(words))}:{int(port, 16)}"


def _read(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        # It has ended meanwhile.
        return ""
