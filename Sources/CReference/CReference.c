#include "CReference.h"

// Before C23, `#embed` is an extension of clang. SwiftPM's own way to embed a file makes one literal per byte, which
// takes minutes to compile for files of this size.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char yaml[] = {
#embed "../../openapi.yaml"
};
static const unsigned char json[] = {
#embed "openapi.json"
};
static const unsigned char page[] = {
#embed "reference.html"
};

struct sekisho_document sekisho_openapi_yaml(void) {
    return (struct sekisho_document){yaml, sizeof yaml};
}

struct sekisho_document sekisho_openapi_json(void) {
    return (struct sekisho_document){json, sizeof json};
}

struct sekisho_document sekisho_reference_page(void) {
    return (struct sekisho_document){page, sizeof page};
}
