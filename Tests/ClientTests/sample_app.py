"""The command-line version of the sample app. It uses the view model of the app's SwiftUI screens."""

import ctypes
import json
import os
import subprocess
from functools import cache
from pathlib import Path

from processes import run_program

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "Examples/SekishoSample"
SCRATCH = ROOT / ".build/sample"
# Constants of Linux.
PR_CAPBSET_DROP = 24
CAP_SYS_NICE = 23


@cache
def build_sample_app():
    """Builds the sample app and returns the folder of its products."""
    return build_unoptimized(PACKAGE, SCRATCH)


def build_unoptimized(package, scratch):
    """Builds a Swift package without optimization or debug information, and returns the folder of its products."""
    # A debug build would compile each file of a module on its own, which takes twice as long.
    options = ("--configuration", "release", "-debug-info-format", "none", "-Xswiftc", "-Onone")
    output = run_program("swift", "build", *options, "--package-path", package, "--scratch-path", scratch)
    assert "warning:" not in output, output
    return scratch / "release"


def lower_priority():
    """Gives the process the lowest priority. On Linux, URLSession occupies a core while it waits for a response, and the
    gateway would wait for a core."""
    os.nice(19)
    # If root runs the tests, the threads of libdispatch would otherwise raise their priorities again.
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_NICE)


class SampleApp:
    """A running process of the sample app. `screen` is the state that it printed last.

    `store` is the folder in which the app keeps its session.
    """

    def __init__(self, url, store, *options):
        command = [build_sample_app() / "sekisho-sample", "--server", url, "--store", store, *options]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lower_priority)
        self.screen = self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def run(self, *words):
        """Runs a command and returns the state after it."""
        self.send(*words)
        return self.read()

    def run_ok(self, *words):
        """Runs a command that must succeed and returns the state after it. Repeats it if the gateway is overloaded."""
        screen = self.run(*words)
        for _ in range(3):
            if "503" not in screen.get("error", {}).get("details", ""):
                break
            screen = self.run(*words)
        assert "error" not in screen, (words, screen)
        return screen

    def send(self, *words):
        """Sends a command without waiting for its end."""
        self.process.stdin.write(" ".join(f'"{word}"' for word in words) + "\n")
        self.process.stdin.flush()

    def read(self):
        """Waits for the state after a command and returns it."""
        line = self.process.stdout.readline()
        assert line, "the sample app ended"
        self.screen = json.loads(line)
        return self.screen

    @property
    def user(self):
        return self.screen.get("user")

    def kill(self):
        """Ends the process at once, as the system does with an app in the background."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
