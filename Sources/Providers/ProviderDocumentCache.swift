internal import Identity
internal import Synchronization

/// Caches documents of providers for their lifetime, and longer while a provider is unreachable.
///
/// Concurrent callers share one fetch, or use the previous version during the fetch. An invalid document never replaces
/// a valid one. A forced fetch replaces a version that is still fresh, for a token with a key that the version does not
/// contain.
final class ProviderDocumentCache<Value: Sendable>: Sendable {
    typealias State = DocumentState<Value>
    typealias Version = State.Version

    private struct Entry {
        var state = State()
        /// The running fetch.
        var runningFetch: Task<Void, Never>?
    }

    /// If the cache has this many entries, a new URL removes all entries without a running fetch. Entries are limited,
    /// because their URLs come from configurations of projects.
    private static var capacity: Int { 1000 }

    private let fetch: DocumentFetch
    private let store: ProviderDocumentStore
    private let clock: WallClock
    private let executor: any TaskExecutor
    /// Parses and checks a document.
    private let parser: @Sendable (_ body: [UInt8], _ url: String) async throws -> Value
    /// The entries by URL.
    private let entries = Mutex<[String: Entry]>([:])

    init(
        fetch: DocumentFetch, store: ProviderDocumentStore, clock: WallClock, on executor: any TaskExecutor,
        parser: @escaping @Sendable ([UInt8], String) async throws -> Value
    ) {
        self.fetch = fetch
        self.store = store
        self.clock = clock
        self.executor = executor
        self.parser = parser
    }

    /// Returns a version that may be used now, after a fetch if necessary.
    ///
    /// - Throws: ``DocumentFault/otherIssuer(seen:)``; ``ProviderUnreachable``.
    func current(of provider: ProviderID, at address: DocumentAddress) async throws -> Version {
        while true {
            let now = clock.now()
            let (step, fetch) = nextStep(at: address.url, { $0.step(at: now, isBusy: $1) }) {
                await self.refresh(address)
            }
            switch step {
            case .use(let version): return version
            case .fail(let failure): throw failure.error(of: provider)
            // `step(at:isBusy:)` never returns `nothingNewer`.
            case .fetch, .nothingNewer: await fetch?.value
            }
        }
    }

    /// Returns a version that is newer than `seen`, after a forced fetch if necessary.
    ///
    /// - Returns: `nil` if `seen` is the latest version, and the next forced fetch is not allowed yet.
    /// - Throws: ``DocumentFault/otherIssuer(seen:)``; ``ProviderUnreachable``.
    func newer(than seen: Version, of provider: ProviderID, at address: DocumentAddress) async throws -> Version? {
        while true {
            let now = clock.now()
            let (step, fetch) = nextStep(at: address.url, { $0.step(replacing: seen, at: now, isBusy: $1) }) {
                await self.forceFetch(address)
            }
            switch step {
            case .use(let version): return version
            case .fail(let failure): throw failure.error(of: provider)
            case .nothingNewer: return nil
            case .fetch: await fetch?.value
            }
        }
    }

    /// Returns the step that `choose` returns for the state of the document, and the running fetch. Starts a fetch if
    /// the step needs one and none is running.
    ///
    /// - Parameter fetching: makes the fetch. It runs in its own task, so that the cancellation of one caller does not
    ///   cancel the fetch for other callers.
    private func nextStep(
        at url: String, _ choose: (State, _ isBusy: Bool) -> State.Step,
        fetching: @escaping @Sendable () async -> Void
    ) -> (State.Step, Task<Void, Never>?) {
        entries.withLock { entries in
            if entries[url] == nil, entries.count >= Self.capacity {
                entries = entries.filter { $0.value.runningFetch != nil }
            }
            var entry = entries[url] ?? Entry()
            let step = choose(entry.state, entry.runningFetch != nil)
            if case .fetch = step, entry.runningFetch == nil {
                entry.runningFetch = Task(executorPreference: executor) {
                    await fetching()
                    self.entries.withLock { $0[url]?.runningFetch = nil }
                }
            }
            entries[url] = entry
            return (step, entry.runningFetch)
        }
    }

    /// Loads the stored document if this process has no version and the stored one is fresh. Otherwise fetches it.
    private func refresh(_ address: DocumentAddress) async {
        let isKnown = entries.withLock { $0[address.url]?.state.version != nil }
        if !isKnown, await loadFromStore(address.url) { return }
        _ = await fetchAndStore(address)
    }

    /// Loads the document that another process or an earlier run has stored.
    ///
    /// - Returns: whether the stored document is fresh.
    private func loadFromStore(_ url: String) async -> Bool {
        // If the store fails or its document is invalid, the document is fetched from the provider.
        guard let stored = try? await store.load(url), let value = try? await parser(Array(stored.body.utf8), url)
        else {
            return false
        }
        let now = clock.now()
        update(url) { $0.adopt(value, fetchedAt: stored.fetchedAt, at: now) }
        return (stored.fetchedAt..<stored.fetchedAt + CachePolicy.lifetimeLimits.lowerBound).contains(now)
    }

    /// Fetches the document, and stores it for other processes.
    ///
    /// - Returns: the failure; `nil` after a success.
    private func fetchAndStore(_ address: DocumentAddress) async -> DocumentFailure? {
        do {
            let (body, maxAge) = try await fetch.get(address)
            guard body.count <= DocumentFetch.maximumLength else { throw DocumentFault.tooLong }
            let value = try await parse(body, at: address.url)
            let now = clock.now()
            update(address.url) { $0.recordFetch(value, maxAge: maxAge, at: now) }
            // If the document cannot be stored, other processes fetch it themselves.
            try? await store.store(address.url, String(decoding: body, as: UTF8.self), now)
            return nil
        } catch {
            let now = clock.now()
            let failure = DocumentFailure(error)
            update(address.url) { $0.recordFailure(failure, at: now) }
            return failure
        }
    }

    /// - Throws: ``DocumentFault``.
    private func parse(_ body: [UInt8], at url: String) async throws -> Value {
        do {
            return try await parser(body, url)
        } catch let error as DocumentFault {
            throw error
        } catch {
            throw DocumentFault.unreadable
        }
    }

    /// Makes a forced fetch. If another process already makes one, loads the result of that process instead.
    private func forceFetch(_ address: DocumentAddress) async {
        let url = address.url
        let now = clock.now()
        do {
            if try await store.claimForcedFetch(url, now) {
                let failure = await fetchAndStore(address)
                // A failed fetch must not make sign-ins fail for longer than the provider's outage.
                if failure != nil { try? await store.withdrawForcedFetch(url, now) }
                let pause =
                    failure == nil ? ProviderDocumentStore.forcedFetchInterval : CachePolicy.pauseAfterFailure
                update(url) { $0.recordForcedFetch(until: now + pause, failure: failure) }
            } else {
                let failure = try await loadFromOtherProcess(url)
                update(url) {
                    $0.recordForcedFetch(until: now + CachePolicy.pauseForOtherProcess, failure: failure)
                }
            }
        } catch {
            update(url) {
                $0.recordForcedFetch(
                    until: now + CachePolicy.pauseForOtherProcess,
                    failure: .other("the store of documents is not available"))
            }
        }
    }

    /// Loads the result of another process's forced fetch.
    ///
    /// - Returns: the reason why the stored document may be outdated; `nil` if the other process has stored the result
    ///   of its fetch.
    private func loadFromOtherProcess(_ url: String) async throws -> DocumentFailure? {
        let stored = try await store.load(url)
        // An invalid stored document is ignored.
        if let stored, let value = try? await parser(Array(stored.body.utf8), url) {
            let now = clock.now()
            update(url) { $0.adopt(value, fetchedAt: stored.fetchedAt, at: now) }
        }
        let hasResult = stored.map { $0.forcedFetchClaimedAt ?? $0.fetchedAt <= $0.fetchedAt } ?? false
        return hasResult ? nil : .other("another process has not fetched the document yet")
    }

    private func update(_ url: String, _ change: (inout State) -> Void) {
        entries.withLock { change(&$0[url, default: Entry()].state) }
    }
}
