"""Runs programs, and reads information about running processes from proc(5)."""

import ipaddress
import os
import re
import subprocess
from pathlib import Path

# The state TCP_LISTEN in /proc/net/tcp.
LISTENING = "0A"


def run_program(*words, folder=None, **environment):
    """Runs a program in `folder` and returns its output. If the program fails, the test fails with the output.

    `environment` replaces the environment of the tests, unless it is empty.
    """
    completed = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment or None, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


def child_process_ids(process_id):
    """The IDs of the running child processes of a process. Linux lists them by the thread that created them."""
    lists = Path(f"/proc/{process_id}/task").glob("*/children")
    return [int(number) for path in lists for number in path.read_text().split()]


def process_exists(process_id):
    return Path(f"/proc/{process_id}").exists()


def resident_memory(process_id, field="VmRSS"):
    """The resident memory of a process in bytes; its peak with `VmHWM`."""
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)[1]) * 1024


def process_ids_by_command_line(text):
    """The IDs, as text, of the processes whose command line contains `text`."""
    return [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if text in _read(path)]


def listening_addresses(process_id):
    """The TCP addresses on which a process accepts connections."""
    sockets = {_target(path) for path in Path(f"/proc/{process_id}/fd").iterdir()}
    return [_address(line[1]) for line in _tcp() if line[3] == LISTENING and f"socket:[{line[9]}]" in sockets]


def _target(path):
    """The target of a descriptor, or `None` if it was closed after it was listed."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None


def _tcp():
    """Yields the columns of each socket: among them the local address (1), the state (3) and the inode (9)."""
    for name in ("tcp", "tcp6"):
        yield from (line.split() for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:])


def _address(text):
    """Formats an address of /proc/net/tcp.

    Each group of four bytes of the address is in host byte order; the port is in network byte order.
    """
    host, port = text.split(":")
    words = [bytes.fromhex(host[start:start + 8])[::-1] for start in range(0, len(host), 8)]
    return f"{ipaddress.ip_address(b''.join(words))}:{int(port, 16)}"


def _read(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        # The process has exited since it was listed.
        return ""
