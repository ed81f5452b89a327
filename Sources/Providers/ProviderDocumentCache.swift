internal import Identity
internal import Synchronization

/// Documents that providers publish, kept for as long as they say, and longer while a provider cannot be reached.
///
/// Of all who want a document that has to be fetched one has it fetched, and the others share what comes of it, or go
/// on with the one before. What is not the document it should be never takes the place of a good one.
final class ProviderDocumentCache<Value: Sendable>: Sendable {
    typealias State = DocumentState<Value>
    typealias Version = State.Version

    private struct Entry {
        var state = State()
        /// `nil` while nobody fetches.
        var work: Task<Void, Never>?
    }

    /// Of URLs. Configurations bring them, so they are bounded; once reached, what nobody is fetching is forgotten.
    private static var capacity: Int { 1000 }

    private let fetch: DocumentFetch
    private let shelf: ProviderDocumentStore
    private let clock: WallClock
    private let executor: any TaskExecutor
    private let read: @Sendable (_ body: [UInt8], _ url: String) throws -> Value
    /// By URL.
    private let entries = Mutex<[String: Entry]>([:])

    init(
        fetch: DocumentFetch, shelf: ProviderDocumentStore, clock: WallClock, on executor: any TaskExecutor,
        read: @escaping @Sendable ([UInt8], String) throws -> Value
    ) {
        self.fetch = fetch
        self.shelf = shelf
        self.clock = clock
        self.executor = executor
        self.read = read
    }

    /// - Throws: ``DocumentUnavailable``.
    func current(at address: DocumentAddress) async throws -> Version {
        while true {
            let now = clock.now()
            let (step, work) = step(at: address.url, { $0.step(at: now, isBusy: $1) }) { await self.refresh(address) }
            switch step {
            case .use(let version): return version
            case .fail(let reason): throw DocumentUnavailable(reason: reason)
            case .fetch, .nothingNewer: await work?.value
            }
        }
    }

    /// - Returns: `nil` if the provider was asked a moment ago, and `seen` is what it said.
    /// - Throws: ``DocumentUnavailable``.
    func newer(than seen: Version, at address: DocumentAddress) async throws -> Version? {
        while true {
            let now = clock.now()
            let (step, work) = step(at: address.url, { $0.stepOutOfTurn(seen: seen, at: now, isBusy: $1) }) {
                await self.askOutOfTurn(address)
            }
            switch step {
            case .use(let version): return version
            case .fail(let reason): throw DocumentUnavailable(reason: reason)
            case .nothingNewer: return nil
            case .fetch: await work?.value
            }
        }
    }

    /// - Parameter fetching: begun, apart from the caller, if that is the step and nobody is at it: a caller who goes
    ///   away must not take it from the others.
    private func step(
        at url: String, _ choose: (State, _ isBusy: Bool) -> State.Step,
        fetching: @escaping @Sendable () async -> Void
    ) -> (State.Step, Task<Void, Never>?) {
        entries.withLock { entries in
            if entries[url] == nil, entries.count >= Self.capacity { entries = entries.filter { $0.value.work != nil } }
            var entry = entries[url] ?? Entry()
            let step = choose(entry.state, entry.work != nil)
            if case .fetch = step, entry.work == nil {
                entry.work = Task(executorPreference: executor) {
                    await fetching()
                    self.entries.withLock { $0[url]?.work = nil }
                }
            }
            entries[url] = entry
            return (step, entry.work)
        }
    }

    private func refresh(_ address: DocumentAddress) async {
        let isKnown = entries.withLock { $0[address.url]?.state.version != nil }
        if !isKnown, await takeFromShelf(address.url) { return }
        _ = await ask(address)
    }

    /// - Returns: whether what stands there is as good as fetched.
    private func takeFromShelf(_ url: String) async -> Bool {
        // A shelf that fails, or holds what can no longer be read, is as good as an empty one: there is the provider.
        guard let stored = try? await shelf.load(url), let value = try? read(Array(stored.body.utf8), url) else {
            return false
        }
        let now = clock.now()
        update(url) { $0.found(value, fetchedAt: stored.fetchedAt, at: now) }
        return (stored.fetchedAt..<stored.fetchedAt + CachePolicy.lifetimes.lowerBound).contains(now)
    }

    /// - Returns: why the provider did not answer, or not sensibly.
    private func ask(_ address: DocumentAddress) async -> String? {
        do {
            let (body, maxAge) = try await fetch.get(address)
            guard body.count <= DocumentFetch.maximumLength else { throw DocumentFault.tooLong }
            let value = try readable(body, address.url)
            let now = clock.now()
            update(address.url) { $0.fetched(value, maxAge: maxAge, at: now) }
            // Kept for others and for later; whoever waits here has it already.
            try? await shelf.store(address.url, String(decoding: body, as: UTF8.self), now)
            return nil
        } catch {
            let now = clock.now()
            let reason = "\(error)"
            update(address.url) { $0.failed(reason, at: now) }
            return reason
        }
    }

    private func readable(_ body: [UInt8], _ url: String) throws -> Value {
        do {
            return try read(body, url)
        } catch let error as DocumentFault {
            throw error
        } catch {
            throw DocumentFault.unreadable
        }
    }

    private func askOutOfTurn(_ address: DocumentAddress) async {
        let url = address.url
        let now = clock.now()
        do {
            if try await shelf.claimForcedFetch(url, now) {
                let failure = await ask(address)
                update(url) { $0.wasAskedOutOfTurn(until: now + ProviderDocumentStore.turn, failure: failure) }
            } else {
                let failure = try await takeFromOthers(url)
                update(url) {
                    $0.wasAskedOutOfTurn(until: now + CachePolicy.pauseForOthers, failure: failure)
                }
            }
        } catch {
            update(url) {
                $0.wasAskedOutOfTurn(
                    until: now + CachePolicy.pauseForOthers, failure: "nobody can tell whose turn it is to ask it")
            }
        }
    }

    /// - Returns: why what stands on the shelf is not what the provider says now.
    private func takeFromOthers(_ url: String) async throws -> String? {
        let stored = try await shelf.load(url)
        // What cannot be read is no news.
        if let stored, let value = try? read(Array(stored.body.utf8), url) {
            let now = clock.now()
            update(url) { $0.found(value, fetchedAt: stored.fetchedAt, at: now) }
        }
        let isAnswered = stored.map { $0.forcedAt ?? $0.fetchedAt <= $0.fetchedAt } ?? false
        return isAnswered ? nil : "another process asked it and has no answer yet"
    }

    private func update(_ url: String, _ change: (inout State) -> Void) {
        entries.withLock { change(&$0[url, default: Entry()].state) }
    }
}
