/* libcbor's stream decoder, which allocates no memory. libcbor 0.8 and later releases declare the lengths in its
   callbacks with different types (size_t, uint64_t), which Swift would import as different types. */
#pragma once

/* The encoder is for tests. */
#include <cbor/encoding.h>
#include <cbor/streaming.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of data items that the gateway accepts. SHIM_CBOR_UNSUPPORTED is the kind of all others. */
enum shim_cbor_kind {
    SHIM_CBOR_UNSUPPORTED,
    SHIM_CBOR_UNSIGNED,
    SHIM_CBOR_NEGATIVE,
    SHIM_CBOR_BYTES,
    SHIM_CBOR_TEXT,
    SHIM_CBOR_ARRAY,
    SHIM_CBOR_MAP,
    SHIM_CBOR_BOOL,
    SHIM_CBOR_NULL,
};

struct shim_cbor_item {
    enum shim_cbor_kind kind;
    /* The integer n of UNSIGNED (n) and NEGATIVE (-1 - n), the value of BOOL, and otherwise the length: bytes of BYTES
       and TEXT, elements of ARRAY, pairs of MAP. */
    uint64_t number;
    /* The content of BYTES and TEXT, inside the input. */
    const uint8_t *content;
};

#define SHIM_CBOR_NUMBER(name, type, item_kind)                    \
    static inline void shim_cbor_##name(void *item, type number) { \
        ((struct shim_cbor_item *)item)->kind = item_kind;         \
        ((struct shim_cbor_item *)item)->number = number;          \
    }
SHIM_CBOR_NUMBER(uint8, uint8_t, SHIM_CBOR_UNSIGNED)
SHIM_CBOR_NUMBER(uint16, uint16_t, SHIM_CBOR_UNSIGNED)
SHIM_CBOR_NUMBER(uint32, uint32_t, SHIM_CBOR_UNSIGNED)
SHIM_CBOR_NUMBER(uint64, uint64_t, SHIM_CBOR_UNSIGNED)
SHIM_CBOR_NUMBER(negint8, uint8_t, SHIM_CBOR_NEGATIVE)
SHIM_CBOR_NUMBER(negint16, uint16_t, SHIM_CBOR_NEGATIVE)
SHIM_CBOR_NUMBER(negint32, uint32_t, SHIM_CBOR_NEGATIVE)
SHIM_CBOR_NUMBER(negint64, uint64_t, SHIM_CBOR_NEGATIVE)
/* On 64-bit systems, size_t and uint64_t have the same size. */
SHIM_CBOR_NUMBER(array, uint64_t, SHIM_CBOR_ARRAY)
SHIM_CBOR_NUMBER(map, uint64_t, SHIM_CBOR_MAP)
SHIM_CBOR_NUMBER(bool, bool, SHIM_CBOR_BOOL)
#undef SHIM_CBOR_NUMBER

static inline void shim_cbor_string(void *item, enum shim_cbor_kind kind, const uint8_t *content, uint64_t length) {
    ((struct shim_cbor_item *)item)->kind = kind;
    ((struct shim_cbor_item *)item)->number = length;
    ((struct shim_cbor_item *)item)->content = content;
}
static inline void shim_cbor_bytes(void *item, const uint8_t *content, uint64_t length) {
    shim_cbor_string(item, SHIM_CBOR_BYTES, content, length);
}
static inline void shim_cbor_text(void *item, const uint8_t *content, uint64_t length) {
    shim_cbor_string(item, SHIM_CBOR_TEXT, content, length);
}
static inline void shim_cbor_null(void *item) { ((struct shim_cbor_item *)item)->kind = SHIM_CBOR_NULL; }

/* Reads the data item at the start of the input: a scalar, or the head of an array or a map. Leaves the kind
   UNSUPPORTED for an item of another kind: tags, floats, undefined, and what has no declared length.
   Returns the number of bytes that the item or head occupies, 0 if the input ends within it, -1 if it is malformed. */
static inline ptrdiff_t shim_cbor_read(const uint8_t *input, size_t count, struct shim_cbor_item *item) {
    /* The empty callbacks ignore the unsupported items. */
    struct cbor_callbacks callbacks = cbor_empty_callbacks;
    callbacks.uint8 = shim_cbor_uint8;
    callbacks.uint16 = shim_cbor_uint16;
    callbacks.uint32 = shim_cbor_uint32;
    callbacks.uint64 = shim_cbor_uint64;
    callbacks.negint8 = shim_cbor_negint8;
    callbacks.negint16 = shim_cbor_negint16;
    callbacks.negint32 = shim_cbor_negint32;
    callbacks.negint64 = shim_cbor_negint64;
    callbacks.byte_string = shim_cbor_bytes;
    callbacks.string = shim_cbor_text;
    callbacks.array_start = shim_cbor_array;
    callbacks.map_start = shim_cbor_map;
    callbacks.boolean = shim_cbor_bool;
    callbacks.null = shim_cbor_null;
    item->kind = SHIM_CBOR_UNSUPPORTED;
    item->number = 0;
    item->content = NULL;
    struct cbor_decoder_result result = cbor_stream_decode(input, count, &callbacks, item);
    switch (result.status) {
    case CBOR_DECODER_FINISHED: return (ptrdiff_t)result.read;
    case CBOR_DECODER_NEDATA: return 0;
    default: return -1;
    }
}
