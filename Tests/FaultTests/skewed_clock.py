"""A clock that is wrong by a fixed time, for one process: a library that replaces clock_gettime()."""

import subprocess

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, time);
    const char *skew = getenv("CLOCK_SKEW_SECONDS");
    if (clock == CLOCK_REALTIME && skew) time->tv_sec += atol(skew);
    return result;
}
"""


def skewed_environment(folder, seconds):
    """The environment variables with which a process has a clock that is `seconds` ahead."""
    library = folder / "skewed_clock.so"
    if not library.exists():
        source = folder / "skewed_clock.c"
        source.write_text(SOURCE)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
    return {"LD_PRELOAD": str(library), "CLOCK_SKEW_SECONDS": str(seconds)}
