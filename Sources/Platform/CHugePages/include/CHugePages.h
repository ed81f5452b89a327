#pragma once
#include <stddef.h>

/// Mappings from this size on get huge pages. It is twice a huge page, so that at least one fits wherever it begins.
static const size_t huge_pages_minimum = 4 << 20;
