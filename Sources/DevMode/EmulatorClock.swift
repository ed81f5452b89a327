internal import API
internal import Gateway
internal import HTTP
internal import Identity

extension Endpoint {
    /// Sets the clock of the gateway and the simulators. Logs and deadlines keep the clock of the machine.
    static func setClock(_ clock: DevClock) -> Endpoint {
        outsideContract("setClock", .post, "/emulator/v1/clock") { call in
            switch try ClockChange(call.decodedBody(as: ClockRequest.self)) {
            case .advance(let duration):
                guard clock.advance(by: duration) else {
                    throw RequestRefusal.invalidField(
                        "/advanceSeconds", "must not advance the clock beyond the year 9999")
                }
            case .freeze(let instant): clock.freeze(at: instant)
            case .reset: clock.reset()
            }
            return try .json(ClockState(frozen: clock.isFrozen, nowMs: clock.now.milliseconds))
        }
    }
}

private enum ClockChange {
    case advance(Duration)
    case freeze(Instant)
    case reset

    /// Ten years of 366 days, in seconds.
    private static let tenYears = 10.0 * 366 * 86_400
    /// The times that the clock can be frozen at, in milliseconds since 1970.
    private static let freezeTimes = DevClock.range.lowerBound.milliseconds...DevClock.range.upperBound.milliseconds

    init(_ request: ClockRequest) throws(RequestRefusal) {
        switch (request.advanceSeconds, request.freezeAtMs, request.reset) {
        case (let seconds?, nil, nil):
            guard (0...Self.tenYears).contains(seconds) else {
                throw .invalidField("/advanceSeconds", "must be from 0 to \(Int(Self.tenYears)) seconds")
            }
            self = .advance(.seconds(seconds))
        case (nil, let milliseconds?, nil):
            guard Self.freezeTimes.contains(milliseconds) else {
                throw .invalidField("/freezeAtMs", "must be in milliseconds since 1970, up to the year 9999")
            }
            self = .freeze(Instant(microseconds: milliseconds * 1000))
        case (nil, nil, true?): self = .reset
        default: throw .invalidField("", "must have exactly one of advanceSeconds, freezeAtMs and reset: true")
        }
    }
}

private struct ClockRequest: Decodable {
    let advanceSeconds: Double?
    let freezeAtMs: Int64?
    let reset: Bool?
}

private struct ClockState: Encodable {
    let frozen: Bool
    let nowMs: Int64
}
