#pragma once
#include "ReferenceStyle.h"
#include <stddef.h>

/// Bytes that are part of the executable.
struct sekisho_document {
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// Returns the contract, openapi.yaml.
struct sekisho_document sekisho_openapi_yaml(void);
/// Returns the contract as JSON.
struct sekisho_document sekisho_openapi_json(void);
/// Returns the API reference in HTML that `Deploy/contract` generates from the contract.
struct sekisho_document sekisho_reference_page(void);
