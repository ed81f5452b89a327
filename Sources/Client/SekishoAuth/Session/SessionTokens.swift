internal import Foundation

/// The tokens of a session and their age.
struct SessionTokens: Codable, Hashable, Sendable {
    /// Seconds before the expiry of an ID token at which the token is refreshed. If half of the token's lifetime is
    /// shorter, that half applies instead.
    static let refreshMargin: TimeInterval = 300

    var idToken: String
    var refreshToken: String
    /// The refresh token before the latest refresh. The gateway accepts it until ``refreshToken`` is used. The library
    /// sends it if the gateway cannot read ``refreshToken``.
    var previousRefreshToken: String?
    /// Seconds from ``requestedAt`` until the ID token expires (`expiresIn`).
    var lifetime: TimeInterval
    /// When the tokens were requested, by the gateway's clock, in seconds since 1970.
    var requestedAt: TimeInterval
    /// The gateway's clock minus the device's clock when the tokens were requested, in seconds.
    var clockOffset: TimeInterval
    /// ``AuthClock/uptime`` when the tokens were requested. `nil` if another process requested them.
    var requestedUptime: TimeInterval?

    private enum CodingKeys: String, CodingKey {
        case idToken, refreshToken, previousRefreshToken, lifetime, requestedAt, clockOffset
    }

    /// The claim `iat` of the ID token, in seconds since 1970; 0 if the token cannot be read. Unlike ``requestedAt``,
    /// it is the same in all processes.
    var issuedAt: TimeInterval { (try? IDTokenClaims(of: idToken).date("iat").timeIntervalSince1970) ?? 0 }

    /// The claim `sid` of the ID token: the ID of the gateway's session. `nil` if the token cannot be read.
    var sessionID: String? { try? IDTokenClaims(of: idToken).values["sid"]?.string }

    /// Whether both are the tokens of one response. `sekisho dev` issues the same ID token again within a second, so
    /// the refresh tokens are compared too.
    func isSame(as other: SessionTokens) -> Bool {
        idToken == other.idToken && refreshToken == other.refreshToken
    }

    /// Seconds until the ID token expires. In the process that requested the token, the result does not depend on
    /// ``AuthClock/now``, which the user can set.
    func remainingLifetime(at now: ClockReading) -> TimeInterval {
        if let requestedUptime { return lifetime - (now.uptime - requestedUptime) }
        let age = now.deviceTime + (now.clockOffset ?? clockOffset) - requestedAt
        // A negative age means that the device's clock was set back, so the age is unknown.
        return age < 0 ? 0 : lifetime - age
    }

    /// Whether the ID token can be used without a refresh.
    func isFresh(at now: ClockReading) -> Bool { timeUntilRefresh(at: now) > 0 }

    /// Seconds until a refresh is due; 0 if it is overdue.
    func timeUntilRefresh(at now: ClockReading) -> TimeInterval {
        max(0, remainingLifetime(at: now) - min(Self.refreshMargin, lifetime / 2))
    }
}

/// The values of the device's clocks at one moment.
struct ClockReading: Sendable {
    /// ``AuthClock/uptime``.
    var uptime: TimeInterval
    /// The device's clock, in seconds since 1970.
    var deviceTime: TimeInterval
    /// The gateway's clock minus the device's clock, in seconds. `nil` before the first response.
    var clockOffset: TimeInterval?

    /// The time by the gateway's clock, in seconds since 1970. Before the first response, the time by the device's
    /// clock.
    var gatewayTime: TimeInterval { deviceTime + (clockOffset ?? 0) }
}

/// Estimates the gateway's clock from the `Date` fields of its responses.
final class GatewayClock: Sendable {
    private let clock: AuthClock
    private let offset = Locked<TimeInterval?>(nil)

    init(_ clock: AuthClock) { self.clock = clock }

    var currentReading: ClockReading {
        ClockReading(
            uptime: clock.uptime(), deviceTime: clock.now().timeIntervalSince1970, clockOffset: offset.current)
    }

    /// Updates the offset between the clocks.
    ///
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
