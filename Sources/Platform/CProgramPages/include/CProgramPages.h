#pragma once
#include <stddef.h>
#include <stdint.h>

/// Calls `visit` for each read-only segment of the program and its libraries, with the addresses of the segment's whole
/// pages (`end` is excluded) and with `context`. Skips segments without a whole page. No library can be loaded or
/// unloaded during the call.
void visit_read_only_segments(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context);
