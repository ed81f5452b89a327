internal import Encoding
internal import Gateway
internal import Identity
internal import JSON

/// Reads the members of a JSON object, and collects the problems of invalid and unknown members. A member that the
/// object omits is read as `nil` or ``Patch/absent``, and is not a problem.
struct ObjectReader {
    private let members: JSONObject
    private let path: String
    private var known: [ByteText] = []
    private var collector = ProblemCollector()

    var problems: [String] { collector.problems }

    /// - Parameter path: the path of the object, with a dot at its end; empty for the root.
    init(_ members: JSONObject, at path: String = "") {
        self.members = members
        self.path = path
    }

    mutating func text(_ name: String) -> String? { nonNull(name, "a string", Self.text) }
    mutating func flag(_ name: String) -> Bool? {
        nonNull(name, "true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }
    mutating func texts(_ name: String) -> [String]? { nonNull(name, "a list of strings", Self.texts) }
    mutating func nullableText(_ name: String) -> Patch<String> { patch(name, "a string or null", Self.text) }
    /// - Parameter expected: what a text must be so that `parse` does not return `nil`.
    mutating func nullableText<Value>(
        _ name: String, _ expected: String, _ parse: (String) -> Value?
    ) -> Patch<Value> {
        patch(name, "\(expected), or null") { Self.text($0).flatMap(parse) }
    }
    mutating func nullableTexts(_ name: String) -> Patch<[String]> {
        patch(name, "a list of strings or null", Self.texts)
    }

    mutating func nullableEmail(_ name: String) -> Patch<EmailAddress> {
        patch(name, "an email address or null") { Self.text($0).flatMap { EmailAddress($0) } }
    }
    mutating func nullableReason(_ name: String) -> Patch<Reason> {
        patch(name, "a string or null") { Self.text($0).map { Reason($0) } }
    }
    mutating func nullableChoice<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Patch<Value> {
        patch(name, Value.allCases.map(\.rawValue).joined(separator: ", ") + " or null") { value in
            Self.text(value).flatMap { name in Value.allCases.first { $0.rawValue == name } }
        }
    }

    mutating func nullableChoices<Value: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: String
    ) -> Patch<Set<Value>> {
        patch(name, "null, or a list with any of \(Value.allCases.map(\.rawValue).joined(separator: ", "))") { value in
            guard let texts = Self.texts(value) else { return nil }
            let choices = texts.compactMap { Value(rawValue: $0) }
            return choices.count == texts.count ? Set(choices) : nil
        }
    }

    mutating func object(_ name: String) -> JSONObject? { nonNull(name, "an object", Self.object) }

    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Value? {
        let names = Value.allCases.map(\.rawValue)
        let expected = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        return nonNull(name, expected) { value in
            Self.text(value).flatMap { name in Value.allCases.first { $0.rawValue == name } }
        }
    }

    /// Reads a nested object or `null`, and collects the problems of the nested object. If `read` returns `nil`, the
    /// result is `.absent`.
    mutating func nullableObject<Value>(_ name: String, _ read: (inout ObjectReader) -> Value?) -> Patch<Value> {
        switch patch(name, "an object or null", Self.object) {
        case .absent: .absent
        case .null: .null
        case .value(let members): inside(name, members, read).map { .value($0) } ?? .absent
        }
    }

    /// Reads an object whose members are objects under arbitrary names.
    mutating func each<Value>(_ name: String, _ read: (String, inout ObjectReader) -> Value) -> [ByteText: Value]? {
        guard let all = object(name) else { return nil }
        var values: [ByteText: Value] = [:]
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            if case .object(let members) = value {
                values[key] = inside("\(name).\(key)", members) { read(key.rawValue, &$0) }
            } else {
                addProblem("\(name).\(key)", "expected an object, got \(value.summary)")
            }
        }
        return values
    }

    /// Reads an object whose members are lists of strings under arbitrary names.
    mutating func lists(_ name: String) -> [ByteText: [String]]? {
        object(name).map { members in
            inside(name, members) { reader in
                var lists: [ByteText: [String]] = [:]
                for key in members.keys.sorted() { lists[key] = reader.texts(key.rawValue) }
                return lists
            }
        }
    }

    mutating func number(_ name: String) -> Int? {
        nonNull(name, "an integer") { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } }
    }

    /// Reads an object with values of one type under arbitrary names.
    mutating func map<Value>(
        _ name: String, _ expected: String, _ read: @escaping (JSONValue) -> Value?
    ) -> [ByteText: Value]? {
        object(name).map { members in
            inside(name, members) { reader in
                var values: [ByteText: Value] = [:]
                for key in members.keys.sorted() {
                    values[key] = reader.nonNull(key.rawValue, expected, read)
                }
                return values
            }
        }
    }

    mutating func addProblem(_ name: String, _ problem: String) {
        collector.add("\(path)\(name)", problem)
    }

    /// Reads the members of a nested object, and collects their problems.
    private mutating func inside<Value>(
        _ name: String, _ members: JSONObject, _ read: (inout ObjectReader) -> Value
    ) -> Value {
        var reader = ObjectReader(members, at: "\(path)\(name).")
        let value = read(&reader)
        reader.finish()
        collector.add(reader.collector)
        return value
    }

    /// Records the unknown members. Call it after the last member is read.
    mutating func finish() {
        for name in members.keys.sorted() where !known.contains(name) {
            let expected = known.sorted().map(\.rawValue).joined(separator: ", ")
            addProblem(name.rawValue, "unknown member; expected one of \(expected)")
        }
    }

    private mutating func patch<Value>(
        _ name: String, _ expected: String, _ parse: (JSONValue) -> Value?
    ) -> Patch<Value> {
        known.append(ByteText(name))
        guard let value = members[ByteText(name)] else { return .absent }
        if value == .null { return .null }
        let parsed = collector.value(
            of: path + name, value, expected: expected, seen: value.summary, parse)
        return parsed.map { .value($0) } ?? .absent
    }

    /// Reads a member that must not be `null`.
    private mutating func nonNull<Value>(
        _ name: String, _ expected: String, _ parse: (JSONValue) -> Value?
    ) -> Value? {
        switch patch(name, expected, parse) {
        case .absent: return nil
        case .null:
            addProblem(name, "expected \(expected), got null")
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

    private static func object(_ value: JSONValue) -> JSONObject? {
        if case .object(let members) = value { members } else { nil }
    }
}

extension JSONValue {
    /// The value in an error message: strings of at most 100 bytes, `true`, `false` and `null` as they are, otherwise
    /// only the type, because the value may be long.
    fileprivate var summary: String {
        switch self {
        case .string(let text) where text.utf8.count <= 100: "\"\(text)\""
        case .string: "a long string"
        case .bool(let value): "\(value)"
        case .null: "null"
        case .array: "a list"
        case .object: "an object"
        default: "a number"
        }
    }
}
