#pragma once
#include <stddef.h>

/// The minimum size of mappings that use huge pages, in bytes. It is twice the size of a huge page (2 MiB), so that
/// every such mapping contains at least one aligned huge page. On aarch64, huge pages have 32 MiB if normal pages have
/// 16 KiB, and 512 MiB if normal pages have 64 KiB. A hash of the default cost (19 MiB) then uses no huge pages.
static const size_t huge_pages_minimum = 4 << 20;
