import Crypto
import Encoding
import EventLoop
import Identity
import Passwords
import Synchronization
import Testing

/// An Argon2 that computes no hash, and counts the work that a hash would need: KiB times iterations.
private final class CountingArgon2: Sendable {
    private let counted = Mutex((work: 0, costs: [String]()))

    var argon2: Argon2 {
        Argon2(
            hash: { [self] password, cost in
                count(memoryKiB: cost.memoryKiB, iterations: cost.iterations)
                return Self.phc(password, memoryKiB: cost.memoryKiB, iterations: cost.iterations)
            },
            verify: { [self] password, phc in
                guard let found = phc.firstMatch(of: /m=(\d+),t=(\d+)/), let memory = Int(found.1),
                    let iterations = Int(found.2)
                else { return false }
                count(memoryKiB: memory, iterations: iterations)
                return phc == Self.phc(password, memoryKiB: memory, iterations: iterations)
            })
    }

    /// Returns a string in the format of a hash (PHC) with the password in place of its digest.
    static func phc(_ password: [UInt8], memoryKiB: Int, iterations: Int) -> String {
        "$argon2id$v=19$m=\(memoryKiB),t=\(iterations),p=1$c2FsdA$" + Hexadecimal.encode(password)
    }

    private func count(memoryKiB: Int, iterations: Int) {
        counted.withLock {
            $0.work += memoryKiB * iterations
            $0.costs.append("\(memoryKiB) x \(iterations)")
        }
    }

    /// Returns what has been counted since the last call.
    func takeCounts() -> (work: Int, costs: [String]) {
        counted.withLock { counted in
            defer { counted = (0, []) }
            return counted
        }
    }
}

/// The hasher makes hashes of the recommended cost: 19,456 KiB and two iterations. It checks a password against
/// a stored hash, which is `nil` for an unknown address.
@Suite("Work for a password")
struct PasswordWorkTests {
    private static let client = HashingClient(
        network: ClientNetwork(prefixes: ["192.0.2.1"], knownNetworkPrefix: nil), project: ID("demo"))

    /// The accepted difference of work: that of the smallest hash, which needs 8 KiB and one iteration.
    private static let tolerance = 8

    @Test(
        "An unknown address and a wrong password cost the same work, even if the stored hash costs less",
        arguments: [
            (19456, 2), (19456, 1), (9728, 2), (7168, 1), (7168, 5), (4096, 3), (8, 1), (19455, 2), (38904, 1),
        ])
    func equal(memoryKiB: Int, iterations: Int) async throws {
        let counting = CountingArgon2()
        let (hasher, threads) = try Self.hasher(counting)
        defer { threads.stop() }
        let stored = CountingArgon2.phc(Array("right".utf8), memoryKiB: memoryKiB, iterations: iterations)
        #expect(try await hasher.check(Secret("wrong"), nil, Self.client) == .wrong)
        let unknown = counting.takeCounts()
        #expect(try await hasher.check(Secret("wrong"), stored, Self.client) == .wrong)
        let wrong = counting.takeCounts()
        #expect(unknown.work == 19456 * 2)
        #expect(abs(wrong.work - unknown.work) <= Self.tolerance, "\(wrong.costs)")
    }

    @Test("A correct password costs a second hash only if the stored hash is replaced")
    func rehash() async throws {
        let counting = CountingArgon2()
        let (hasher, threads) = try Self.hasher(counting)
        defer { threads.stop() }
        let rows: [(stored: String, rehashed: String?, costs: [String])] = [
            (Self.phc(memoryKiB: 19456, iterations: 2), nil, ["19456 x 2"]),
            (
                Self.phc(memoryKiB: 7168, iterations: 1), Self.phc(memoryKiB: 19456, iterations: 2),
                ["7168 x 1", "19456 x 2"]
            ),
            (
                Self.phc(memoryKiB: 19456, iterations: 3), Self.phc(memoryKiB: 19456, iterations: 2),
                ["19456 x 3", "19456 x 2"]
            ),
        ]
        for row in rows {
            let check = try await hasher.check(Secret("right"), row.stored, Self.client)
            #expect(check == .right(rehashed: row.rehashed))
            #expect(counting.takeCounts().costs == row.costs)
        }
    }

    @Test(
        "A wrong password for a hash without readable Argon2 parameters costs one hash of the configured cost",
        arguments: ["$2b$04$abc", "$argon2id$broken", "nonsense"])
    func foreign(stored: String) async throws {
        let counting = CountingArgon2()
        let (hasher, threads) = try Self.hasher(counting)
        defer { threads.stop() }
        #expect(try await hasher.check(Secret("wrong"), stored, Self.client) == .wrong)
        #expect(counting.takeCounts().costs == ["19456 x 2"])
    }

    @Test("A correct password replaces a hash of another cost, unless replacement is off", arguments: [true, false])
    func replacing(replacesHashes: Bool) async throws {
        let counting = CountingArgon2()
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        defer { threads.stop() }
        let keys = PasswordKeys(store: { _, _ in ID("key") }, find: { _ in nil })
        let hasher = try PasswordHasher.argon2id(
            Self.cost(), by: counting.argon2, keys: keys, replacesHashes: replacesHashes, on: threads)
        let check = try await hasher.check(Secret("right"), Self.phc(memoryKiB: 38904, iterations: 2), Self.client)
        #expect(check == .right(rehashed: replacesHashes ? Self.phc(memoryKiB: 19456, iterations: 2) : nil))
    }

    private static func cost() throws -> PasswordHash.Cost { try PasswordHash.Cost(memoryKiB: 19_456, iterations: 2) }

    /// Returns a hash of the password `right`.
    private static func phc(memoryKiB: Int, iterations: Int) -> String {
        CountingArgon2.phc(Array("right".utf8), memoryKiB: memoryKiB, iterations: iterations)
    }

    private static func hasher(_ counting: CountingArgon2) throws -> (PasswordHasher, PasswordThreads) {
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        let keys = PasswordKeys(store: { _, _ in ID("key") }, find: { _ in nil })
        let hasher = try PasswordHasher.argon2id(cost(), by: counting.argon2, keys: keys, on: threads)
        // Discards the hash that the hasher computes at the start, for checks with an unknown address.
        _ = counting.takeCounts()
        return (hasher, threads)
    }
}
