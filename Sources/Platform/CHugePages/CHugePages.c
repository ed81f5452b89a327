// libsodium maps the memory of each Argon2id hash anew and has no setting for it. With pages of 4 KiB that can take as
// long as the hash. Libraries find this function before that of glibc, because the linker exports a function of the
// executable that one of its libraries needs.
//
// Only mappings with exactly the flags of libsodium change: private, anonymous, and populated at once (MAP_POPULATE).
// Huge pages use no more memory for them. The malloc of glibc and its thread stacks do not call this function.

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define _GNU_SOURCE
#include "CHugePages.h"
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool gets_huge_pages(size_t length, int protection, int flags) {
    return length >= huge_pages_minimum && protection == (PROT_READ | PROT_WRITE)
        && flags == (MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE);
}

// `used` and `retain`: the linker may not see that libraries call it.
__attribute__((used, retain, visibility("default")))
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    if (!gets_huge_pages(length, protection, flags))
        return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
    // Not populated: while memory is populated, other threads cannot change the memory map of the process. The memory
    // is populated when it is used.
    void *memory =
        (void *)syscall(SYS_mmap, address, length, protection, flags & ~MAP_POPULATE, descriptor, offset);
    if (memory == MAP_FAILED) return MAP_FAILED;
    const int before = errno;
    madvise(memory, length, MADV_HUGEPAGE);
    errno = before;
    return memory;
}
#endif
