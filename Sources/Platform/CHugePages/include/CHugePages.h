#pragma once
#include <stddef.h>

/// Mappings from this size on get huge pages. It is twice a huge page of 2 MiB, so that at least one fits wherever it
/// begins. On aarch64 with pages of 16 or 64 KiB, a huge page has 32 or 512 MiB, and a hash gets none.
static const size_t huge_pages_minimum = 4 << 20;
