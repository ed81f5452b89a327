internal import Encoding
internal import Identity
internal import JSON
internal import Telemetry

/// A member of Firebase's configuration of projects, tenants and providers, and what the gateway does with it.
///
/// A setting that has no effect is a false protection. Therefore, a member without an entry is not implemented, and
/// only a member without any effect on security can be ``Treatment/ignored``.
struct ConfigurationMember: Sendable {
    enum Treatment: Sendable {
        /// The endpoint applies the member, or rejects it.
        case applied
        /// The member has no effect, and none on security in Firebase either; or it is only for responses.
        case ignored
        /// Accepted only with a value that asks for what the gateway does anyway.
        case accepted(if: @Sendable (JSONValue, Realm) -> Bool)

        /// Accepted only with a value that turns the feature off; see ``JSON/JSONValue/isOff``.
        static let off = Treatment.accepted { value, _ in value.isOff }

        static func accepted(_ values: JSONValue...) -> Treatment {
            .accepted { value, _ in values.contains(value) || value == .null }
        }
    }

    /// The names of the member and its parents, outermost first, separated by dots. The members of the objects in an
    /// array follow the name of the array.
    let path: String
    let treatment: Treatment

    /// - Parameter parent: the path of the object that has the members; empty for the configuration itself.
    static func all(_ treatment: Treatment, in parent: String = "", _ names: String...) -> [ConfigurationMember] {
        names.map { ConfigurationMember(path: parent.isEmpty ? $0 : "\(parent).\($0)", treatment: treatment) }
    }
}

extension JSONValue {
    /// Whether the value asks for nothing: it is empty, or turns a feature off. An object whose `state` or `enabled` is
    /// off asks for nothing unless a part of it is on.
    var isOff: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .integer(let value): value == 0
        case .number(let value): value == 0
        case .string(let text):
            ["", "OFF", "DISABLED"].contains(ByteText(text)) || text.utf8.suffix(12).elementsEqual("_UNSPECIFIED".utf8)
        case .array(let elements): elements.allSatisfy(\.isOff)
        case .object(let members):
            if let isOn = Self.isOn(members) {
                !isOn && !members.values.contains(where: \.hasPartThatIsOn)
            } else {
                members.values.allSatisfy(\.isOff)
            }
        }
    }

    /// Whether the feature that an object describes is on; `nil` if the object does not say it.
    private static func isOn(_ members: JSONObject) -> Bool? {
        (members["state"] ?? members["enabled"]).map { !$0.isOff }
    }

    private var hasPartThatIsOn: Bool {
        switch self {
        case .null, .bool, .integer, .number, .string: false
        case .array(let elements): elements.contains(where: \.hasPartThatIsOn)
        case .object(let members):
            Self.isOn(members) == true || members.values.contains(where: \.hasPartThatIsOn)
        }
    }

    /// Calls `visit` with the path and the value of each member that has an entry in `names`, and of each other member
    /// that is neither an object nor an array, until `visit` returns `false`.
    ///
    /// - Returns: whether all members were visited.
    @discardableResult
    fileprivate func visitMembers(
        _ names: Set<ByteText>, at path: String = "", _ visit: (String, Self) -> Bool
    ) -> Bool {
        guard path.isEmpty || !names.contains(ByteText(path)) else { return visit(path, self) }
        return switch self {
        case .object(let members):
            members.sorted { $0.key < $1.key }.allSatisfy { name, value in
                // A name with a dot must not look like a path.
                let name = name.rawValue.utf8.contains(UInt8(ascii: ".")) ? "\"\(name)\"" : name.rawValue
                return value.visitMembers(names, at: path.isEmpty ? name : "\(path).\(name)", visit)
            }
        case .array(let elements): elements.allSatisfy { $0.visitMembers(names, at: path, visit) }
        case .null: true
        case .bool, .integer, .number, .string: visit(path, self)
        }
    }
}

extension [ConfigurationMember] {
    /// Returns the paths of the first members that `body` sets and the gateway does not implement, without those that
    /// `mask` excludes: at most 20, because a body can have thousands.
    func unimplemented(in body: JSONValue, maskedBy mask: FieldMask, for realm: Realm) -> [String] {
        let treatments = Dictionary(uniqueKeysWithValues: map { (ByteText($0.path), $0.treatment) })
        var paths: [ByteText] = []
        body.visitMembers(Set(treatments.keys)) { path, value in
            let key = ByteText(path)
            guard mask.touches(path), !paths.contains(key) else { return true }
            switch treatments[key] {
            case .applied, .ignored: return true
            case .accepted(let isAccepted): if !isAccepted(value, realm) { paths.append(key) }
            case nil: paths.append(key)
            }
            return paths.count < 20
        }
        return paths.map(\.rawValue)
    }
}

extension EndpointCall {
    /// Checks that the gateway implements every member of the body.
    ///
    /// - Returns: the warnings for the response, which are also logged; see
    ///   ``ModeRules/acceptsUnimplementedMembers``.
    /// - Throws: ``RequestRefusal/notImplemented(_:)``, which names the first such member.
    func requireImplemented(
        _ members: [ConfigurationMember], maskedBy mask: FieldMask = .all, for realm: Realm
    ) throws -> [String] {
        let paths = members.unimplemented(in: try camelCasedBody(), maskedBy: mask, for: realm).map(Self.shown)
        guard let first = paths.first else { return [] }
        guard realm.project.modeRules.acceptsUnimplementedMembers else { throw RequestRefusal.notImplemented(first) }
        let warnings = paths.map { "\($0) is not implemented and has no effect." }
        for warning in warnings { pipeline.log.warning(warning, ["realm": .string(realm.id.rawValue)]) }
        return warnings
    }

    /// The path of a member for a message; `(unreadable)` for a long one, or one with characters other than visible
    /// ASCII.
    private static func shown(_ path: String) -> String {
        path.utf8.count <= 128 && path.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? path : "(unreadable)"
    }
}
