#pragma once
#include <stddef.h>
#include <stdint.h>

/// Calls `visit` with the addresses of the whole pages of each read-only segment of the program and its libraries, the
/// end excluded. No library is loaded or unloaded during the call.
void visit_read_only_segments(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context);
