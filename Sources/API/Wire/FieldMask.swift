internal import Encoding
internal import HTTP

/// The members of a resource that an update changes (`google.protobuf.FieldMask` in a query).
struct FieldMask {
    /// The mask of an update without a field mask: it covers all members.
    static let all = FieldMask(nil)

    /// `nil` for all members.
    private let paths: Set<ByteText>?
    /// The paths of the objects that have a member in ``paths``.
    private let parents: Set<ByteText>

    /// - Parameter query: dotted paths of members, separated by commas, in camelCase or snake_case.
    init(_ query: String?) {
        paths = query.nonEmpty.map { Set($0.split(separator: ",").map(Self.camelCased)) }
        parents = Set((paths ?? []).flatMap { Self.parents(of: $0.rawValue) })
    }

    private static func parents(of path: String) -> [ByteText] {
        path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: ".") }.map { ByteText(path[..<$0]) }
    }

    private static func camelCased(_ path: Substring) -> ByteText {
        let words = path.split(separator: "_")
        return ByteText(
            (words.prefix(1).map(String.init) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
                .joined())
    }

    var coversAllFields: Bool { paths == nil }

    /// Whether the mask contains `path`, a parent of it, or a part of it.
    func touches(_ path: String) -> Bool {
        contains(path) || parents.contains(ByteText(path))
    }

    /// Whether the mask contains `path` or a parent of it.
    func contains(_ path: String) -> Bool {
        guard let paths else { return true }
        return paths.contains(ByteText(path)) || Self.parents(of: path).contains(where: paths.contains)
    }
}

extension EndpointCall {
    /// The members that the query allows the update to change. Firebase's servers accept both names of the parameter.
    var updateMask: FieldMask { FieldMask(request.query("updateMask").nonEmpty ?? request.query("update_mask")) }
}

extension FieldMask {
    /// Sets an optional member if the mask covers `path`. Without a value, the member becomes `nil`.
    func assign<Value>(_ path: String, _ value: Value?, to member: inout Value?) {
        if contains(path) { member = value }
    }

    /// Sets a required member if the mask covers `path` and there is a value. An absent value resets the member to
    /// `default` if the request has no mask, and changes nothing otherwise.
    func assign<Value>(_ path: String, _ value: Value?, to member: inout Value, default: Value) {
        guard contains(path) else { return }
        if let value { member = value } else if coversAllFields { member = `default` }
    }
}
