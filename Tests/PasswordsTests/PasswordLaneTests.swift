import Crypto
import EventLoop
import Identity
import Passwords
import Synchronization
import Testing

/// The hasher makes hashes of 64 KiB and one iteration. A hash is expensive if it takes more than four times as much
/// work or memory.
@Suite("Threads for expensive password hashes")
struct PasswordLaneTests {
    private static let network = ClientNetwork(prefixes: ["192.0.2.1", "192.0.2.0/24"], knownNetworkPrefix: nil)
    private static let client = HashingClient(network: network, project: ID("demo"))

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// `nil` for an unknown address.
        let stored: String?
        var password = "secret1"
        let isExpensive: Bool
    }

    private static let salt = "c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
    private static let digest = "TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ"
    private static let sha256Digest = "TmFDbA$AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
    private static let bcrypt = "abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
    private static let shaCrypt = String(repeating: "a", count: 86)
    private static let yescrypt = String(repeating: "a", count: 43)

    @Test(
        "A check that takes more than four times the work or memory of the gateway's own hash uses the other thread",
        arguments: [
            Row(testDescription: "unknown address", stored: nil, isExpensive: false),
            Row(testDescription: "own hash", stored: "$argon2id$v=19$m=64,t=1,p=1$\(salt)", isExpensive: false),
            Row(testDescription: "four times", stored: "$argon2id$v=19$m=128,t=2,p=1$\(salt)", isExpensive: false),
            Row(testDescription: "more work", stored: "$argon2id$v=19$m=129,t=2,p=1$\(salt)", isExpensive: true),
            Row(testDescription: "more memory", stored: "$argon2id$v=19$m=257,t=1,p=1$\(salt)", isExpensive: true),
            Row(testDescription: "not a hash", stored: "nonsense", isExpensive: false),
            Row(testDescription: "over the bounds", stored: "$md5$i=8193,o=sp$\(digest)", isExpensive: false),
            Row(testDescription: "MD5", stored: "$md5$i=64,o=sp$\(digest)", isExpensive: false),
            Row(
                testDescription: "MD5 of a long password", stored: "$md5$i=64,o=sp$\(digest)",
                password: String(repeating: "a", count: 4096), isExpensive: true),
            Row(testDescription: "SHA-256", stored: "$sha256$i=254,o=sp$\(sha256Digest)", isExpensive: false),
            Row(testDescription: "SHA-256, repeated", stored: "$sha256$i=256,o=sp$\(sha256Digest)", isExpensive: true),
            Row(testDescription: "PBKDF2", stored: "$pbkdf2-sha1$i=512$\(digest)", isExpensive: false),
            Row(testDescription: "PBKDF2, more rounds", stored: "$pbkdf2-sha1$i=514$\(digest)", isExpensive: true),
            Row(testDescription: "scrypt", stored: "$scrypt$n=32,r=8,p=1$\(digest)", isExpensive: false),
            Row(testDescription: "scrypt, two lanes", stored: "$scrypt$n=32,r=8,p=2$\(digest)", isExpensive: true),
            Row(testDescription: "bcrypt", stored: "$2b$04$\(bcrypt)", isExpensive: true),
            Row(testDescription: "SHA-crypt", stored: "$6$rounds=1000$salt$\(shaCrypt)", isExpensive: true),
            Row(testDescription: "yescrypt", stored: "$y$j9T$salt$\(yescrypt)", isExpensive: true),
        ])
    func threads(row: Row) async throws {
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        defer { threads.stop() }
        let check = try await Self.hasher(on: threads).check(Secret(row.password), row.stored, Self.client)
        #expect(check == .wrong)
        #expect(threads.expensive.arrivals == (row.isExpensive ? 1 : 0))
        #expect(threads.ordinary.arrivals == (row.isExpensive ? 0 : 1))
    }

    @Test(
        "With the default cost, only slower hashes than Firebase's scrypt and bcrypt 10 are expensive",
        arguments: [
            ("$scrypt$n=16384,r=8,p=1$\(digest)", false), ("$scrypt$n=131072,r=8,p=1$\(digest)", true),
            ("$2b$10$\(bcrypt)", false), ("$2b$12$\(bcrypt)", true),
            ("$pbkdf2-sha1$i=100000$\(digest)", false), ("$pbkdf2-sha1$i=600000$\(digest)", true),
            ("$argon2id$v=19$m=65536,t=1,p=4$\(salt)", false), ("$argon2id$v=19$m=131072,t=1,p=1$\(salt)", true),
            ("$y$j9T$salt$\(yescrypt)", false), ("$6$salt$\(shaCrypt)", false),
            ("$6$rounds=656000$salt$\(shaCrypt)", true),
        ])
    func defaultCost(stored: String, isExpensive: Bool) async throws {
        // No thread is free, so that nothing is hashed.
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        let hasher = try PasswordHasher.argon2id(
            PasswordHash.Cost(memoryKiB: 19_456, iterations: 2),
            by: Argon2(hash: { _, _ in "$argon2id$v=19$m=19456,t=2,p=1$\(Self.salt)" }, verify: { _, _ in false }),
            keys: Self.noKeys, on: threads)
        threads.stop()
        await #expect(throws: Overloaded.self) { try await hasher.check(Secret("wrong"), stored, Self.client) }
        #expect(threads.expensive.arrivals == (isExpensive ? 1 : 0))
    }

    @Test("Ordinary checks do not wait for expensive ones")
    func lanes() async throws {
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        defer { threads.stop() }
        let gate = BlockedThread()
        let blocker = Task.detached { try await threads.expensive.run(for: .init(to: ["p"], cost: 1)) { gate.wait() } }
        while threads.expensive.running == 0 { await Task.yield() }
        let hasher = try Self.hasher(on: threads)
        let slow = Task.detached { try await hasher.check(Secret("wrong"), "$2b$04$\(Self.bcrypt)", Self.client) }
        while threads.expensive.waiting == 0 { await Task.yield() }
        #expect(try await hasher.check(Secret("wrong"), nil, Self.client) == .wrong)
        #expect(threads.expensive.waiting == 1)
        gate.open()
        #expect(try await slow.value == .wrong)
        try await blocker.value
    }

    @Test("Expensive checks of one project fill half of the queue, from whatever networks, and the others are rejected")
    func admission() async throws {
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        defer { threads.stop() }
        let gate = BlockedThread()
        let blocker = Task.detached { try await threads.expensive.run(for: .init(to: ["p"], cost: 1)) { gate.wait() } }
        while threads.expensive.running == 0 { await Task.yield() }
        let hasher = try Self.hasher(on: threads)
        let check = { @Sendable (project: String, network: Int) in
            let network = ClientNetwork(prefixes: ["10.0.\(network).1"], knownNetworkPrefix: nil)
            let client = HashingClient(network: network, project: ID(project))
            return try await hasher.check(Secret("wrong"), "$2b$04$\(Self.bcrypt)", client)
        }
        let admitted = (0..<4).map { number in Task.detached { try await check("hostile", number) } }
        while threads.expensive.waiting < 4 { await Task.yield() }
        await #expect(throws: Overloaded.self) { _ = try await check("hostile", 5) }
        let other = Task.detached { try await check("other", 6) }
        while threads.expensive.waiting < 5 { await Task.yield() }
        gate.open()
        for task in admitted + [other] { #expect(try await task.value == .wrong) }
        try await blocker.value
    }

    @Test(
        "Nothing is hashed for a client that was gone before a thread was free",
        arguments: [nil, "$2b$04$\(bcrypt)"])
    func gone(stored: String?) async throws {
        let threads = try PasswordThreads(threads: 1, waiting: 8)
        defer { threads.stop() }
        let hashes = Mutex(0)
        let hasher = try Self.hasher(on: threads) { hashes.withLock { $0 += 1 } }
        hashes.withLock { $0 = 0 }
        let client = HashingClient(network: Self.network, project: ID("demo"), isGone: { true })
        await #expect(throws: ClientGone.self) { try await hasher.check(Secret("wrong"), stored, client) }
        await #expect(throws: ClientGone.self) { try await hasher.hash(Secret("new"), client) }
        #expect(hashes.withLock { $0 } == 0)
    }

    private static let noKeys = PasswordKeys(store: { _, _ in ID("key") }, find: { _ in nil })

    /// - Parameter onHash: called for each hash and each check of Argon2.
    private static func hasher(
        on threads: PasswordThreads, onHash: @escaping @Sendable () -> Void = {}
    ) throws -> PasswordHasher {
        let argon2 = Argon2(
            hash: { _, _ in
                onHash()
                return "$argon2id$v=19$m=64,t=1,p=1$\(salt)"
            },
            verify: { _, _ in
                onHash()
                return false
            })
        return try .argon2id(
            PasswordHash.Cost(memoryKiB: 64, iterations: 1), by: argon2, keys: noKeys, on: threads)
    }
}

/// Blocks a thread of a pool until the test opens it.
private final class BlockedThread: Sendable {
    private let isClosed = Mutex(true)
    func wait() { while isClosed.withLock({ $0 }) {} }
    func open() { isClosed.withLock { $0 = false } }
}
