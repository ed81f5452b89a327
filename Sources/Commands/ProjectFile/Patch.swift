/// A change of an optional value by a member of a file.
enum Patch<Value> {
    /// The file omits the member: the value stays as it is.
    case absent
    /// `null`: removes the value, or resets it to its default.
    case null
    case value(Value)

    func apply(to member: inout Value?) {
        switch self {
        case .absent: break
        case .null: member = nil
        case .value(let value): member = value
        }
    }

    /// Returns the new value of a member that cannot be removed; `null` resets the member to `defaultValue`.
    func value(current: Value, default defaultValue: Value) -> Value {
        switch self {
        case .absent: current
        case .null: defaultValue
        case .value(let value): value
        }
    }
}

extension Patch: Sendable where Value: Sendable {}
