import CHugePages
import Glibc
import Synchronization
import Testing

@testable import Crypto

/// The tests read whether huge pages were requested. Whether the kernel provides them depends on the free memory.
@Suite(
    "Huge pages",
    .enabled("Linux must have transparent huge pages") {
        access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0
    })
struct HugePagesTests {
    private static let memoryKiB = 64 * 1024

    @Test("Huge pages are requested for the memory of a password hash")
    func hash() async throws {
        let cost = try PasswordHash.Cost(memoryKiB: Self.memoryKiB, iterations: 8)
        let isRequested = Atomic(false)
        let hasEnded = Atomic(false)
        // Computes several hashes, because a hash can end before the list of mappings is read.
        async let hashes: Void = Task.detached {
            defer { hasEnded.store(true, ordering: .releasing) }
            for _ in 0..<50 where !isRequested.load(ordering: .acquiring) {
                _ = try PasswordHash.hash(Array("password".utf8), cost: cost)
            }
        }.value
        while !isRequested.load(ordering: .acquiring), !hasEnded.load(ordering: .acquiring) {
            let mappings = try Mapping.all().filter { $0.sizeKiB >= Self.memoryKiB }
            isRequested.store(mappings.contains(where: \.isAdvised), ordering: .releasing)
        }
        try await hashes
        let wasRequested = isRequested.load(ordering: .acquiring)
        #expect(wasRequested)
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var bytes = huge_pages_minimum
        var protection = PROT_READ | PROT_WRITE
        var flags = populated
        var isAdvised = false
    }

    private static let populated = MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_POPULATE)

    @Test(
        "Huge pages are requested for large, private, populated, writable memory, unless it is locked or a stack",
        arguments: [
            Row(testDescription: "large, private, populated", isAdvised: true),
            Row(testDescription: "smaller", bytes: huge_pages_minimum - 1),
            Row(testDescription: "not populated", flags: MAP_PRIVATE | MAP_ANONYMOUS),
            Row(testDescription: "shared", flags: MAP_SHARED | MAP_ANONYMOUS | Int32(MAP_POPULATE)),
            Row(testDescription: "read only", protection: PROT_READ),
            Row(testDescription: "locked", flags: populated | MAP_LOCKED),
            Row(testDescription: "a stack", flags: populated | Int32(MAP_STACK)),
        ])
    func advice(row: Row) throws {
        let memory = try #require(mmap(nil, row.bytes, row.protection, row.flags, -1, 0))
        try #require(memory != MAP_FAILED)
        defer { munmap(memory, row.bytes) }
        let mapping = try #require(try Mapping.all().first { $0.addresses.contains(UInt(bitPattern: memory)) })
        #expect(mapping.isAdvised == row.isAdvised)
    }

    @Test("Huge pages are not requested for memory that is mapped from a file")
    func file() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        try #require(ftruncate(fileno(file), huge_pages_minimum) == 0)
        let flags = MAP_PRIVATE | Int32(MAP_POPULATE)
        let memory = try #require(mmap(nil, huge_pages_minimum, PROT_READ | PROT_WRITE, flags, fileno(file), 0))
        try #require(memory != MAP_FAILED)
        defer { munmap(memory, huge_pages_minimum) }
        let mapping = try #require(try Mapping.all().first { $0.addresses.contains(UInt(bitPattern: memory)) })
        #expect(!mapping.isAdvised)
    }

    @Test("A failed mapping sets errno, and a successful mapping leaves errno unchanged")
    func errorNumber() throws {
        errno = 0
        #expect(mmap(nil, .max, PROT_READ | PROT_WRITE, Self.populated, -1, 0) == MAP_FAILED)
        #expect(errno == ENOMEM)
        let memory = try #require(mmap(nil, huge_pages_minimum, PROT_READ | PROT_WRITE, Self.populated, -1, 0))
        #expect(errno == ENOMEM)
        munmap(memory, huge_pages_minimum)
    }
}

/// A mapping of this process (proc_pid_smaps(5)).
private struct Mapping {
    let addresses: Range<UInt>
    /// Whether huge pages were requested with `madvise`.
    let isAdvised: Bool

    var sizeKiB: Int { addresses.count / 1024 }

    static func all() throws -> [Mapping] {
        let firstLine = #/([0-9a-f]+)-([0-9a-f]+) /#
        var addresses: Range<UInt>?
        return try lines().compactMap { line in
            if let range = line.prefixMatch(of: firstLine),
                let start = UInt(range.1, radix: 16), let end = UInt(range.2, radix: 16)
            {
                addresses = start..<end
            }
            guard line.hasPrefix("VmFlags:"), let addresses else { return nil }
            return Mapping(addresses: addresses, isAdvised: line.split(separator: " ").contains("hg"))
        }
    }

    /// Reads byte by byte, because Foundation returns only the first page of a file in `/proc`.
    private static func lines() throws -> [Substring] {
        let file = try #require(fopen("/proc/self/smaps", "r"))
        defer { fclose(file) }
        var text: [UInt8] = []
        while case let byte = getc(file), byte != EOF { text.append(UInt8(byte)) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}
