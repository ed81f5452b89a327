/// What a project asks of a password, in the order in which it is told.
public enum PasswordRequirement: Hashable, Sendable {
    case minimumLength(Int)
    case maximumLength(Int)
    case lowercase
    case uppercase
    case digit
    case symbol
    /// Never seen in a data breach.
    case notBreached
}
