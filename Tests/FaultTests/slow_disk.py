"""A disk whose writes can be made slow: a library that delays the functions that wait for the disk."""

import subprocess
from contextlib import contextmanager

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void wait_for_disk(void) {
    FILE *file = fopen(getenv("SLOW_DISK_FILE"), "r");
    int milliseconds = 0;
    if (!file) return;
    if (fscanf(file, "%d", &milliseconds) == 1) usleep(1000 * milliseconds);
    fclose(file);
}
int fdatasync(int descriptor) {
    static int (*next)(int);
    if (!next) next = (int (*)(int)) dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return next(descriptor);
}
int fsync(int descriptor) {
    static int (*next)(int);
    if (!next) next = (int (*)(int)) dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return next(descriptor);
}
"""


class SlowDisk:
    def __init__(self, folder):
        library, source = folder / "slow_disk.so", folder / "slow_disk.c"
        source.write_text(SOURCE)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
        self._file = folder / "delay"
        self.environment = {"LD_PRELOAD": str(library), "SLOW_DISK_FILE": str(self._file)}

    @contextmanager
    def slow(self, milliseconds):
        """Each wait for the disk takes this much longer until the block ends."""
        self._file.write_text(str(milliseconds))
        try:
            yield
        finally:
            self._file.unlink()
