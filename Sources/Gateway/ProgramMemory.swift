internal import CProgramPages
internal import Glibc

/// The memory that this process's program and libraries occupy. Many of its pages are used only at start: to link
/// libraries, to read tables of types and to run initializers.
package enum ProgramMemory {
    /// Removes read-only pages from the resident memory if their content is the same as that of the mapped file.
    ///
    /// A page that is used again comes from the system's file cache: Linux maps it, and 15 of its neighbours, without
    /// a read from the disk.
    package static func release() {
        // If the list of pages cannot be read, the process only uses more memory.
        guard let maps = try? InputFile.text(of: "/proc/self/smaps") else { return }
        // Another thread may have loaded or unloaded a library since the list was read. Therefore only pages that still
        // belong to the program or a library are released.
        withUnsafePointer(to: unchangedRanges(in: maps)) { ranges in
            visit_read_only_segments(
                { start, end, ranges in
                    guard let ranges = ranges?.assumingMemoryBound(to: [Range<UInt>].self).pointee else { return }
                    let segment = UInt(start)..<UInt(end)
                    for range in ranges where range.overlaps(segment) {
                        let part = range.clamped(to: segment)
                        madvise(UnsafeMutableRawPointer(bitPattern: part.lowerBound), part.count, MADV_DONTNEED)
                    }
                }, UnsafeMutableRawPointer(mutating: ranges))
        }
    }

    /// Returns the address ranges of read-only mappings of files.
    ///
    /// A mapping with anonymous memory, even if it is swapped out, is omitted. Its pages differ from the file: the
    /// linker wrote addresses into them, or a debugger wrote a breakpoint.
    ///
    /// - Parameter maps: the content of `/proc/self/smaps`; see `proc_pid_smaps(5)`.
    package static func unchangedRanges(in maps: String) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        var candidate: Range<UInt>?
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count >= 5, let range = addresses(words[0]) {
                let isReadOnly = words[1].hasPrefix("r-")
                // The inode is 0 for memory without a file.
                let inode = words[4]
                candidate = isReadOnly && inode != "0" ? range : nil
            } else if words.count == 3, ["Anonymous:", "Swap:"].contains(words[0]), words[1] != "0" {
                candidate = nil
            } else if words.first == "VmFlags:", let range = candidate {
                ranges.append(range)
            }
        }
        return ranges
    }

    private static func addresses(_ text: Substring) -> Range<UInt>? {
        let bounds = text.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
    }
}
