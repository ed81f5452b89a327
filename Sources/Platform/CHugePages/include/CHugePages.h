#pragma once
#include <stddef.h>

/// The minimum size of mappings that use huge pages, in bytes. It is twice the size of a huge page (2 MiB), so that
/// every such mapping contains at least one aligned huge page. On aarch64 with pages of 16 or 64 KiB, a huge page is
/// 32 or 512 MiB, so a hash of the default cost (19 MiB) uses none.
static const size_t huge_pages_minimum = 4 << 20;
