internal import Crypto
public import EventLoop
internal import Identity

/// The threads that hash passwords, each kind with its own queue, so that no sign-in with an ordinary hash waits for an
/// expensive hash of another system.
public struct PasswordThreads: Sendable {
    /// For hashes that cost about as much as the gateway's own. The queue serves client networks in turn.
    public let ordinary: FairPool
    /// One thread of low priority for the others. What a hash costs is charged to the project and to the networks of
    /// its client.
    public let expensive: ChargedPool

    /// Added to the niceness of the calling thread. The event loops take precedence over ordinary hashes, and ordinary
    /// hashes over expensive ones.
    private static let (ordinaryNiceness, expensiveNiceness) = (Int32(5), Int32(10))
    /// The maximum number of expensive hashes that wait. All together take some ten seconds.
    private static let expensiveWaiting = 32

    /// - Parameters:
    ///   - count: the number of threads for ordinary hashes.
    ///   - waiting: the maximum number of passwords that wait for a thread; at least 2.
    /// - Throws: ``SystemError`` if the system cannot create a thread.
    public init(threads count: Int, waiting: Int) throws {
        ordinary = try FairPool(
            name: "passwords", threads: count, capacity: waiting, niceness: Self.ordinaryNiceness)
        expensive = try ChargedPool(
            name: "slow-hash", threads: 1, capacity: min(waiting, Self.expensiveWaiting),
            niceness: Self.expensiveNiceness)
    }

    /// Waits until the queued passwords have been hashed. Later ones are rejected.
    public func stop() {
        ordinary.stop()
        expensive.stop()
    }

    /// Runs `work` for a client on a thread of the kind that `cost` requires.
    ///
    /// - Parameter native: the cost of the gateway's own hashes.
    /// - Throws: ``Overloaded`` if the queue is full; ``ClientGone`` if the client is gone when a thread is free;
    ///   errors of `work`.
    func run<Value: Sendable>(
        for client: HashingClient, cost: HashCost, native: HashCost, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let networks = client.network.levels.reversed().map(\.prefix)
        let isAwaited = { @Sendable in !client.isGone() }
        do {
            guard cost.isExpensive(comparedWith: native) else {
                return try await ordinary.run(for: networks, while: isAwaited, work)
            }
            // After the check, the password is hashed with the gateway's own cost, even if the check fails.
            let charge = ChargedPool.Claimant(
                to: [client.project.rawValue] + networks, cost: (cost + native).work)
            return try await expensive.run(for: charge, while: isAwaited, work)
        } catch is PoolRejection {
            throw Overloaded()
        } catch is AbandonedWork {
            throw ClientGone()
        }
    }
}

extension HashCost {
    /// Hashes of up to this multiple of the work and of the memory of the gateway's own hashes are ordinary. Firebase's
    /// scrypt and bcrypt with a cost of 10 are ordinary.
    private static let ordinaryFactor = 4

    /// Whether a check takes so much more work or memory than a check of one of the gateway's own hashes that other
    /// clients must not wait for it.
    func isExpensive(comparedWith native: HashCost) -> Bool {
        work > Self.ordinaryFactor * native.work || memoryKiB > Self.ordinaryFactor * native.memoryKiB
    }

    init(_ cost: PasswordHash.Cost) {
        self = .argon2(memoryKiB: cost.memoryKiB, iterations: cost.iterations)
    }

    /// The cost of checking an Argon2 hash in PHC string format; zero for text that is not one, which no password
    /// matches.
    init(ofArgon2 phc: String) {
        self = PasswordHash.cost(of: phc).map { HashCost($0) } ?? HashCost(work: 0, memoryKiB: 0)
    }
}
