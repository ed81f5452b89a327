internal import Identity
internal import Storage

extension EventDispatchStore.Result {
    init(of outcome: EventDeliveryOutcome, to dispatch: EventDispatchStore.Dispatch, at now: Instant) {
        let attempts = dispatch.attempts + 1
        switch outcome {
        case .delivered(let status):
            self.init(
                sequence: dispatch.event.sequence, wasDueAt: dispatch.dueAt, state: .delivered, attempts: attempts,
                dueAt: nil, status: status, failure: nil)
        case .failed(let failure):
            let due = EndpointHealth.nextAttempt(
                after: attempts, failing: failure,
                isEndless: AccountEvent.Kind(rawValue: dispatch.event.kind)?.isKeptUntilDelivered ?? false, at: now,
                chance: .random(in: 0...1))
            self.init(
                sequence: dispatch.event.sequence, wasDueAt: dispatch.dueAt, state: due == nil ? .failed : .pending,
                attempts: attempts, dueAt: due, status: failure.status, failure: failure.name)
        }
    }
}
