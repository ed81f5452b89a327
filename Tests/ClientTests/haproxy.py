"""HAProxy with a file of Deploy/ha, in which only addresses and paths are changed."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import gateway

ROOT = Path(__file__).parents[2]
# `Deploy/test` unpacks HAProxy into this folder.
PROGRAM = ROOT / ".venv/haproxy/usr/sbin/haproxy"
FOLDER = ROOT / "Deploy/ha"


@contextmanager
def haproxy(folder, file, changes, is_ready):
    """Runs HAProxy until the block ends. `changes` maps texts of the file, each of which occurs, to their replacements.

    `is_ready` tells whether HAProxy serves.
    """
    text = (FOLDER / file).read_text()
    for old, new in changes.items():
        assert old in text, f"not in {file}: {old}"
        text = text.replace(old, new)
    configuration, log = folder / file, folder / f"{file}.log"
    configuration.write_text(text)
    with log.open("w") as output:
        process = subprocess.Popen([PROGRAM, "-f", configuration], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        gateway.wait_for(is_ready, process, log)
        yield
    finally:
        process.terminate()
        process.wait(30)
