"""HAProxy with a file of Deploy/ha."""

from contextlib import contextmanager

from servers import ROOT, changed_text, server_running, unpacked

PROGRAM = unpacked("haproxy", "usr/sbin/haproxy")


@contextmanager
def haproxy(folder, file, changes, is_ready):
    """Runs HAProxy until the block ends. For `changes`, see `changed_text`.

    `is_ready` tells whether HAProxy serves.
    """
    configuration = folder / file
    configuration.write_text(changed_text(ROOT / "Deploy/ha" / file, changes))
    with server_running([PROGRAM, "-f", configuration], folder / f"{file}.log", is_ready):
        yield
