internal import FoundationEssentials
internal import Identity

/// What a project's policy differs in from its profile, as the column `project.policy` holds it.
struct PolicyOverrides: Codable {
    var allowsPasswords: Bool?
    var allowsAnonymous: Bool?
    var minimumPasswordLength: Int?
    var hidesAccounts: Bool?
    var rotatesRefreshTokens: Bool?
    var refreshGraceSeconds: Int?
    var recentLoginSeconds: Int?
    var idTokenLifetimeSeconds: Int?

    /// Everything that `policy` has otherwise than `profile`.
    init(_ policy: Policy, against profile: Policy.Profile) {
        let base = Policy(profile)
        func override<Value: Equatable>(_ member: KeyPath<Policy, Value>) -> Value? {
            policy[keyPath: member] == base[keyPath: member] ? nil : policy[keyPath: member]
        }
        allowsPasswords = override(\.allowsPasswords)
        allowsAnonymous = override(\.allowsAnonymous)
        minimumPasswordLength = override(\.minimumPasswordLength)
        hidesAccounts = override(\.hidesAccounts)
        rotatesRefreshTokens = override(\.rotatesRefreshTokens)
        refreshGraceSeconds = override(\.refreshGrace).map { Int($0.components.seconds) }
        recentLoginSeconds = override(\.recentLogin).map { Int($0.components.seconds) }
        idTokenLifetimeSeconds = override(\.idTokenLifetime).map { Int($0.components.seconds) }
    }

    func policy(of profile: Policy.Profile) -> Policy {
        var policy = Policy(profile)
        func apply<Value>(_ value: Value?, to member: WritableKeyPath<Policy, Value>) {
            if let value { policy[keyPath: member] = value }
        }
        apply(allowsPasswords, to: \.allowsPasswords)
        apply(allowsAnonymous, to: \.allowsAnonymous)
        apply(minimumPasswordLength, to: \.minimumPasswordLength)
        apply(hidesAccounts, to: \.hidesAccounts)
        apply(rotatesRefreshTokens, to: \.rotatesRefreshTokens)
        apply(refreshGraceSeconds.map { .seconds($0) }, to: \.refreshGrace)
        apply(recentLoginSeconds.map { .seconds($0) }, to: \.recentLogin)
        apply(idTokenLifetimeSeconds.map { .seconds($0) }, to: \.idTokenLifetime)
        return policy
    }

    init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
