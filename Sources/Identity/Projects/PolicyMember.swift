extension Policy {
    /// A member of a policy, by its name in configuration files and on the command line.
    public struct Member: Sendable {
        public let name: String
        /// The accepted values: `true or false`, or a range with its unit.
        public let values: String
        public let meaning: String
        private let read: @Sendable (Policy) -> String
        private let write: @Sendable (String, inout Policy) -> Bool

        public func text(in policy: Policy) -> String { read(policy) }

        /// - Returns: `false` if `text` is not one of ``values``; then `policy` is unchanged.
        public func set(_ text: String, in policy: inout Policy) -> Bool { write(text, &policy) }

        private init(
            _ name: String, _ values: String, _ meaning: String, read: @escaping @Sendable (Policy) -> String,
            write: @escaping @Sendable (String, inout Policy) -> Bool
        ) {
            self.name = name
            self.values = values
            self.meaning = meaning
            self.read = read
            self.write = write
        }

        fileprivate static func flag(
            _ name: String, _ path: any WritableKeyPath<Policy, Bool> & Sendable, _ meaning: String
        ) -> Member {
            Member(name, "true or false", meaning) {
                String($0[keyPath: path])
            } write: { text, policy in
                guard let value = Bool(text) else { return false }
                policy[keyPath: path] = value
                return true
            }
        }

        fileprivate static func number(
            _ name: String, _ path: any WritableKeyPath<Policy, Int> & Sendable, _ range: ClosedRange<Int>,
            _ unit: String, _ meaning: String
        ) -> Member {
            Member(name, "\(range.lowerBound) to \(range.upperBound) \(unit)", meaning) {
                String($0[keyPath: path])
            } write: { text, policy in
                guard let value = Int(text), range.contains(value) else { return false }
                policy[keyPath: path] = value
                return true
            }
        }

        fileprivate static func seconds(
            _ name: String, _ path: any WritableKeyPath<Policy, Duration> & Sendable, _ range: ClosedRange<Int64>,
            _ meaning: String
        ) -> Member {
            Member(name, "\(range.lowerBound) to \(range.upperBound) seconds", meaning) {
                String($0[keyPath: path].components.seconds)
            } write: { text, policy in
                guard let value = Int64(text), range.contains(value) else { return false }
                policy[keyPath: path] = .seconds(value)
                return true
            }
        }
    }

    /// All members of a policy.
    public static let members: [Member] = [
        .flag("allowsPasswords", \.allowsPasswords, "accounts with e-mail and password may be made and used"),
        .flag("allowsAnonymous", \.allowsAnonymous, "accounts without any credential may be made"),
        .flag("allowsEmailLinks", \.allowsEmailLinks, "a link sent to a mailbox signs in"),
        .flag(
            "allowsDuplicateEmails", \.allowsDuplicateEmails,
            "an identity whose address is taken makes an account without one"),
        .flag(
            "trustsGoogleForEveryDomain", \.trustsGoogleForEveryDomain,
            "an address Google has verified counts as proven, whatever its domain"),
        .flag("requiresNonce", \.requiresNonce, "Apple's identity tokens have to carry a nonce"),
        .flag(
            "protectsLastSignInMethod", \.protectsLastSignInMethod,
            "the last way to sign in is removed only by a request that says so"),
        .number(
            "minimumPasswordLength", \.minimumPasswordLength, 6...64, "characters", "shorter passwords are refused"),
        .flag("requiresLowercase", \.requiresLowercase, "passwords have to hold a lower-case letter"),
        .flag("requiresUppercase", \.requiresUppercase, "passwords have to hold an upper-case letter"),
        .flag("requiresDigit", \.requiresDigit, "passwords have to hold a digit"),
        .flag("requiresSymbol", \.requiresSymbol, "passwords have to hold a punctuation mark of ASCII"),
        .flag(
            "rejectsBreachedPasswords", \.rejectsBreachedPasswords,
            "passwords that have been in a data breach are refused"),
        .flag(
            "resetUnlinksIdentities", \.resetUnlinksIdentities,
            "a reset of the password by mail unlinks identities of other providers"),
        .seconds(
            "verificationLifetime", \.verificationLifetime, 600...604_800,
            "how long a code can be used that verifies or changes an address"),
        .seconds(
            "resetLifetime", \.resetLifetime, 600...86_400, "how long a code can be used that resets a password"),
        .number(
            "passwordFailureLimit", \.passwordFailureLimit, 0...1000, "in ten minutes",
            "wrong passwords for one address from one place; 0 is no limit"),
        .number(
            "signUpLimit", \.signUpLimit, 0...100_000, "an hour",
            "accounts made from one place, and addresses found taken; 0 is no limit"),
        .number(
            "emailLimit", \.emailLimit, 0...1000, "in a quarter of an hour",
            "mail of one purpose to one address that one place may ask for; 0 is no limit"),
        .seconds(
            "anonymousLifetime", \.anonymousLifetime, 0...315_360_000,
            "an anonymous account that nobody uses is kept so long; 0 is for ever"),
        .seconds(
            "auditRetention", \.auditRetention, 0...3_153_600_000,
            "lines of the audit trail are kept so long; 0 is for ever"),
        .flag(
            "emailEnumerationProtection", \.emailEnumerationProtection,
            "answers do not tell who has an account (enumeration protection)"),
        .flag("rotatesRefreshTokens", \.rotatesRefreshTokens, "each use of a refresh token gives a new one"),
        .seconds(
            "refreshTokenGracePeriod", \.refreshTokenGracePeriod, 0...300,
            "a refresh token still works after its successor was used"),
        .seconds(
            "recentLoginMaxAge", \.recentLoginMaxAge, 60...3600, "how old a login may be for a change of credentials"),
        .flag(
            "requiresRecentLoginToLink", \.requiresRecentLoginToLink,
            "linking and unlinking ask for a recent login"),
        .seconds("idTokenLifetime", \.idTokenLifetime, 300...3600, "how long an ID token is good for"),
    ]

    /// The members that differ from `profile`, by name.
    public func overrides(of profile: Profile) -> [String: String] {
        let base = Policy(profile)
        let changed = Self.members.filter { $0.text(in: self) != $0.text(in: base) }
        return Dictionary(uniqueKeysWithValues: changed.map { ($0.name, $0.text(in: self)) })
    }

    /// A profile with the members that differ from it. Unknown names and values are ignored, because a newer release
    /// wrote them.
    public init(_ profile: Profile, overrides: [String: String]) {
        self.init(profile)
        for member in Self.members {
            if let text = overrides[member.name] { _ = member.set(text, in: &self) }
        }
    }
}
