internal import Foundation

/// The tokens of a session, and how old they are.
struct SessionTokens: Codable, Hashable, Sendable {
    /// An ID token is renewed when less than this many seconds remain.
    static let margin: TimeInterval = 300

    var idToken: String
    var refreshToken: String
    /// The previous refresh token. The gateway accepts it until the newer one was used, so a damaged newer one does not
    /// end the session.
    var formerRefreshToken: String?
    /// Seconds from the request for the ID token until it expires.
    var lifetime: TimeInterval
    /// When the tokens were requested, by the gateway's clock, in seconds since 1970.
    var receivedAt: TimeInterval
    /// What the device's clock lacked then to the gateway's, in seconds.
    var clockOffset: TimeInterval
    /// ``AuthClock/uptime`` when the tokens were requested. `nil` if another process requested them.
    var receivedUptime: TimeInterval?

    private enum CodingKeys: String, CodingKey {
        case idToken, refreshToken, formerRefreshToken, lifetime, receivedAt, clockOffset
    }

    /// When the gateway issued the ID token, in seconds since 1970. Orders the tokens of several processes, whose
    /// ``receivedAt`` can differ by a second.
    // A token without the claim is treated as the oldest.
    var issuedAt: TimeInterval { (try? IDTokenClaims(of: idToken).date("iat").timeIntervalSince1970) ?? 0 }

    /// The ID of the gateway's session. `nil` if the ID token cannot be read.
    var gatewaySession: String? { try? IDTokenClaims(of: idToken).values["sid"]?.string }

    /// Seconds until the ID token expires. Independent of the device's clock in the process that received it.
    func remaining(_ time: GatewayTime) -> TimeInterval {
        if let receivedUptime { return lifetime - (time.uptime - receivedUptime) }
        let age = time.deviceTime + (time.clockOffset ?? clockOffset) - receivedAt
        // A negative age means that the device's clock was set back, so nothing is known.
        return age < 0 ? 0 : lifetime - age
    }

    /// Whether the ID token can be used without a refresh.
    func isFresh(_ time: GatewayTime) -> Bool { remaining(time) > min(Self.margin, lifetime / 2) }

    /// Seconds until a refresh is due.
    func untilRefresh(_ time: GatewayTime) -> TimeInterval {
        max(0, remaining(time) - min(Self.margin, lifetime / 2))
    }
}

/// One reading of the clocks.
struct GatewayTime: Sendable {
    var uptime: TimeInterval
    /// The device's clock, in seconds since 1970.
    var deviceTime: TimeInterval
    /// What the device's clock lacks to the gateway's. `nil` before the first response.
    var clockOffset: TimeInterval?

    /// The gateway's time, in seconds since 1970.
    var gatewayTime: TimeInterval { deviceTime + (clockOffset ?? 0) }
}

/// Compares the device's clock with the `Date` fields of the gateway's responses.
final class GatewayClock: Sendable {
    private let clock: AuthClock
    private let offset = Locked<TimeInterval?>(nil)

    init(_ clock: AuthClock) { self.clock = clock }

    var reading: GatewayTime {
        GatewayTime(
            uptime: clock.uptime(), deviceTime: clock.now().timeIntervalSince1970, clockOffset: offset.current)
    }

    /// - Parameter date: the value of a `Date` field (RFC 9110 §5.6.7).
    func observe(date: String) {
        guard let gatewayTime = Self.seconds(date) else { return }
        offset.withLock { $0 = gatewayTime - clock.now().timeIntervalSince1970 }
    }

    private static func seconds(_ date: String) -> TimeInterval? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: date)?.timeIntervalSince1970
    }
}
