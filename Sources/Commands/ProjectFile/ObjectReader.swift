internal import Gateway
internal import Identity
internal import JSON

/// What a file says of a member.
enum Patch<Value> {
    case absent
    /// `null`: there shall be none.
    case nothing
    case value(Value)

    /// Lays what is given over `member`.
    func apply(to member: inout Value?) {
        switch self {
        case .absent: break
        case .nothing: member = nil
        case .value(let value): member = value
        }
    }

    /// The same for what has always a value.
    func value(insteadOf present: Value, initially: Value) -> Value {
        switch self {
        case .absent: present
        case .nothing: initially
        case .value(let value): value
        }
    }
}

extension Patch: Sendable where Value: Sendable {}

/// Reads the members of a JSON object, remembering every problem instead of stopping at the first. A member that
/// nobody asked for is a problem too.
struct ObjectReader {
    private let members: [String: JSONValue]
    private let path: String
    private var known: [String] = []
    private(set) var problems: [String] = []

    /// - Parameter path: of the object, with a dot at its end; empty for the whole file.
    init(_ members: [String: JSONValue], at path: String = "") {
        self.members = members
        self.path = path
    }

    mutating func text(_ name: String) -> String? { required(name, "a text", Self.text) }
    mutating func flag(_ name: String) -> Bool? {
        required(name, "true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }
    mutating func texts(_ name: String) -> [String]? { required(name, "a list of texts", Self.texts) }
    mutating func optionalText(_ name: String) -> Patch<String> { given(name, "a text or null", Self.text) }
    mutating func optionalTexts(_ name: String) -> Patch<[String]> {
        given(name, "a list of texts or null", Self.texts)
    }

    mutating func optionalEmail(_ name: String) -> Patch<EmailAddress> {
        given(name, "an e-mail address or null") { Self.text($0).flatMap { EmailAddress($0) } }
    }
    mutating func optionalChoice<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Patch<Value> {
        given(name, Value.allCases.map(\.rawValue).joined(separator: ", ") + " or null") { value in
            Self.text(value).flatMap { Value(rawValue: $0) }
        }
    }

    mutating func object(_ name: String) -> [String: JSONValue]? { required(name, "an object", Self.object) }

    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Value? {
        required(name, Value.allCases.map(\.rawValue).joined(separator: ", ")) { value in
            Self.text(value).flatMap { Value(rawValue: $0) }
        }
    }

    /// Reads an object within; its problems become this one's.
    mutating func optionalInside<Value>(_ name: String, _ read: (inout ObjectReader) -> Value?) -> Patch<Value> {
        switch given(name, "an object or null", Self.object) {
        case .absent: .absent
        case .nothing: .nothing
        case .value(let members): inside(name, members, read).map { .value($0) } ?? .absent
        }
    }

    /// The same for each member of an object that has names of the reader's own.
    mutating func each<Value>(_ name: String, _ read: (String, inout ObjectReader) -> Value) -> [String: Value]? {
        guard let all = object(name) else { return nil }
        var values: [String: Value] = [:]
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            if case .object(let members) = value {
                values[key] = inside("\(name).\(key)", members) { read(key, &$0) }
            } else {
                complain("\(name).\(key)", "must be an object")
            }
        }
        return values
    }

    /// An object of lists, under names of anybody's choice.
    mutating func lists(_ name: String) -> [String: [String]]? {
        object(name).map { members in
            inside(name, members) { reader in
                var lists: [String: [String]] = [:]
                for key in members.keys.sorted() { lists[key] = reader.texts(key) }
                return lists
            }
        }
    }

    mutating func complain(_ name: String, _ problem: String) {
        problems.append("\(path)\(name): \(problem)")
    }

    private mutating func inside<Value>(
        _ name: String, _ members: [String: JSONValue], _ read: (inout ObjectReader) -> Value
    ) -> Value {
        var reader = ObjectReader(members, at: "\(path)\(name).")
        let value = read(&reader)
        reader.finish()
        problems += reader.problems
        return value
    }

    /// To be called once every member has been asked for.
    mutating func finish() {
        for name in members.keys.sorted() where !known.contains(name) {
            complain(name, "unknown; there are \(known.sorted().joined(separator: ", "))")
        }
    }

    private mutating func given<Value>(
        _ name: String, _ expected: String, _ parse: (JSONValue) -> Value?
    ) -> Patch<Value> {
        known.append(name)
        guard let value = members[name] else { return .absent }
        if value == .null { return .nothing }
        guard let parsed = parse(value) else {
            complain(name, "must be \(expected)")
            return .absent
        }
        return .value(parsed)
    }

    private mutating func required<Value>(
        _ name: String, _ expected: String, _ parse: (JSONValue) -> Value?
    ) -> Value? {
        switch given(name, expected, parse) {
        case .absent: return nil
        case .nothing:
            complain(name, "must be \(expected)")
            return nil
        case .value(let value): return value
        }
    }

    private static func text(_ value: JSONValue) -> String? { if case .string(let text) = value { text } else { nil } }

    private static func texts(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let texts = elements.compactMap(text)
        return texts.count == elements.count ? texts : nil
    }

    private static func object(_ value: JSONValue) -> [String: JSONValue]? {
        if case .object(let members) = value { members } else { nil }
    }
}
