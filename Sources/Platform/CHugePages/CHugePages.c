// libsodium maps new memory for each Argon2id hash, and this cannot be configured. With pages of 4 KiB, the mapping can
// take as long as the hash. All libraries call the function `mmap` in this file instead of glibc's, because the linker
// exports a function of the executable if a linked library needs a function of that name.
//
// The function changes only mappings of at least `huge_pages_minimum` (4 MiB) that have exactly libsodium's flags:
// private, anonymous and populated (MAP_POPULATE). libsodium uses the whole mapping, so huge pages do not increase
// memory use. glibc's own calls, for malloc and for thread stacks, do not reach this function.

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

// `used` and `retain` are needed because the linker may not see that libraries call this function.
__attribute__((used, retain, visibility("default")))
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    if (!gets_huge_pages(length, protection, flags))
        return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
    // Removes MAP_POPULATE, because other threads cannot change the memory map of the process while the kernel
    // populates a mapping. Each page is populated when it is first used.
    void *memory =
        (void *)syscall(SYS_mmap, address, length, protection, flags & ~MAP_POPULATE, descriptor, offset);
    if (memory == MAP_FAILED) return MAP_FAILED;
    // A failure of madvise does not matter: the mapping then has pages of the default size.
    const int saved_errno = errno;
    madvise(memory, length, MADV_HUGEPAGE);
    errno = saved_errno;
    return memory;
}
#endif
