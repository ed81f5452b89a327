#define _GNU_SOURCE
#include "CProgramPages.h"
#include <link.h>
#include <unistd.h>

struct visitor {
    void (*visit)(uintptr_t start, uintptr_t end, void *context);
    void *context;
};

// Visits the segments of one object: of the program or of a library.
static int visit_object(struct dl_phdr_info *object, size_t size, void *data) {
    const struct visitor *visitor = data;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        // Excludes the first and the last page if the segment contains only a part of them.
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t first = (start + page - 1) & ~(page - 1), end = (start + segment->p_memsz) & ~(page - 1);
        if (first < end) visitor->visit(first, end, visitor->context);
    }
    return 0;  // continue with the next object
}

void visit_read_only_segments(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context) {
    struct visitor visitor = {visit, context};
    dl_iterate_phdr(visit_object, &visitor);
}
