import Gateway
import Testing

/// To release a page is to remove it from resident memory. The kernel maps it from its file again when it is used.
@Suite("Memory pages of the program that can be released")
struct ProgramMemoryTests {
    /// A mapping as `/proc/self/smaps` shows it.
    static func mapping(
        permissions: String = "r-xp", inode: Int = 42, path: String = "/usr/bin/a program", anonymous: Int = 0,
        swapped: Int = 0
    ) -> String {
        """
        7f275d444000-7f275d59a000 \(permissions) 00026000 fe:00 \(inode)                     \(path)
        Size:               1368 kB
        Rss:                1200 kB
        Anonymous:            \(anonymous) kB
        Swap:                 \(swapped) kB
        VmFlags: rd ex mr mw me sd

        """
    }

    /// The addresses of each ``mapping``.
    static let range: Range<UInt> = 0x7f27_5d44_4000..<0x7f27_5d59_a000

    @Test(
        "Only read-only pages that still have the contents of their file can be released",
        arguments: [
            ("code", mapping(), true),
            ("constants", mapping(permissions: "r--p"), true),
            ("a file that was deleted", mapping(path: "/usr/lib/libcurl.so.4 (deleted)"), true),
            ("variables", mapping(permissions: "rw-p"), false),
            ("code that can be written", mapping(permissions: "rwxp"), false),
            ("code with a changed page", mapping(anonymous: 4), false),
            ("code with a changed page that is swapped out", mapping(swapped: 4), false),
            ("memory without a file", mapping(permissions: "r--p", inode: 0, path: ""), false),
            ("the kernel's own page", mapping(inode: 0, path: "[vdso]"), false),
        ])
    func unchanged(name: String, maps: String, expected: Bool) {
        #expect(ProgramMemory.unchangedRanges(in: maps) == (expected ? [Self.range] : []))
    }

    @Test("The ranges that can be released are found among other mappings")
    func several() {
        let maps = Self.mapping(anonymous: 8) + Self.mapping() + Self.mapping(permissions: "rw-p") + Self.mapping()
        #expect(ProgramMemory.unchangedRanges(in: maps) == [Self.range, Self.range])
    }

    @Test("The program still runs after its pages were released")
    func used() {
        ProgramMemory.release()
        // Runs code and reads constants whose pages were released.
        #expect(Self.mapping().contains("1368 kB"))
    }
}
