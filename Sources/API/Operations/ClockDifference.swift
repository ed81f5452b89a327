/// A difference between the clock of this machine and PostgreSQL's that an operator must correct.
public struct ClockDifference: Sendable, CustomStringConvertible {
    /// Backends that verify ID tokens tolerate about this difference.
    private static let tolerated: Duration = .seconds(30)

    private let lead: Duration

    /// - Parameter lead: how far the clock of this machine is ahead.
    /// - Returns: `nil` if the difference is at most 30 seconds.
    public init?(lead: Duration) {
        guard max(lead, .zero - lead) > Self.tolerated else { return nil }
        self.lead = lead
    }

    public var description: String {
        let seconds = max(lead, .zero - lead).components.seconds
        return "\(seconds) s \(lead > .zero ? "ahead of" : "behind") PostgreSQL's clock"
    }
}
