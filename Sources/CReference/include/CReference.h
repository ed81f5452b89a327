#pragma once
#include "ReferenceStyle.h"
#include <stddef.h>

/// Bytes that are part of the executable.
struct sekisho_document {
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// openapi.yaml.
struct sekisho_document sekisho_openapi_yaml(void);
/// The same as JSON.
struct sekisho_document sekisho_openapi_json(void);
/// The reference that `Deploy/contract` makes from it, as HTML.
struct sekisho_document sekisho_reference_page(void);
