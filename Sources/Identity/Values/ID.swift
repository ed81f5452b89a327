/// The ID of a `Subject`. The type prevents a session's ID from being used as an account's.
public struct ID<Subject>: Hashable, Codable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ID: CustomStringConvertible {
    public var description: String { rawValue }
}
