/// The name of one `Subject`, so that a session's id can never be taken for an account's.
public struct ID<Subject>: Hashable, Codable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ID: CustomStringConvertible {
    public var description: String { rawValue }
}
