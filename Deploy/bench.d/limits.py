"""Measures limits of this machine: the rates of the gateway's statements in pgbench, of Argon2id and of signatures."""

import ctypes
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from gateway import output

# The gateway adds this number to its own niceness for its password threads.
PASSWORD_THREAD_NICENESS = 5


def pgbench(url, folder, script, constants, clients, seconds):
    """Returns the number of transactions of a pgbench script, and their duration in seconds.

    `constants` maps the script's variables to their initial values.
    """
    file = folder / "script.sql"
    file.write_text(script)
    values = constants | {"clients": clients}
    definitions = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
    printed = output(
        ["pgbench", "--no-vacuum", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds), "-f", file,
         *definitions, url])
    return float(re.search(r"tps = ([\d.]+)", printed)[1]) * seconds, seconds


def argon2id(phc, password, seconds):
    """Returns the number of verifications of the hash `phc` on all cores, and their duration in seconds.

    Runs in a separate process, which has the priority of the password threads.
    """
    count, elapsed = output(argon2id_command(phc, password, seconds)).split()
    return int(count), float(elapsed)


def argon2id_command(phc, password, seconds):
    return ["nice", "-n", str(PASSWORD_THREAD_NICENESS), sys.executable, "-B", __file__, phc, password, str(seconds)]


def p256_rates():
    """Returns signatures and verifications per second on one core."""
    printed = output(["openssl", "speed", "-seconds", "1", "ecdsap256"])
    return re.search(r"nistp256\)(?:\s+[\d.]+s){2}\s+([\d.]+)\s+([\d.]+)", printed).groups()


def hash_until(sodium, phc, password, deadline):
    """Verifies the hash again and again on this thread, and returns how often."""
    count = 0
    while time.monotonic() < deadline:
        if sodium.crypto_pwhash_str_verify(phc, password, ctypes.c_ulonglong(len(password))) != 0:
            raise SystemExit("the stored hash does not match the password")
        count += 1
    return count


def main(phc, password, seconds):
    """Prints what `argon2id` returns. `argon2id_command` starts this file as a program."""
    sodium = ctypes.CDLL("libsodium.so.23")  # a CDLL releases Python's global lock during a call
    sodium.sodium_init()
    began = time.monotonic()
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as executor:
        work = [
            executor.submit(hash_until, sodium, phc.encode(), password.encode(), began + float(seconds))
            for _ in range(cores)
        ]
        print(sum(thread.result() for thread in work), time.monotonic() - began)


if __name__ == "__main__":
    main(*sys.argv[1:])
