extension Policy {
    /// A member of a policy, with its name in configuration files and on the command line.
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

        fileprivate static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
            _ name: String, _ path: any WritableKeyPath<Policy, Value> & Sendable, _ meaning: String
        ) -> Member {
            Member(name, Value.allCases.map(\.rawValue).joined(separator: ", "), meaning) {
                $0[keyPath: path].rawValue
            } write: { text, policy in
                guard let value = Value(rawValue: text) else { return false }
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
        .flag("allowsPasswords", \.allowsPasswords, "accounts with email and password can be created and used"),
        .flag("allowsAnonymous", \.allowsAnonymous, "anonymous accounts can be created"),
        .flag("allowsEmailLinks", \.allowsEmailLinks, "users can sign in with an emailed link"),
        .flag(
            "allowsPhoneNumbers", \.allowsPhoneNumbers,
            "users can sign in with a code that is sent to a telephone number"),
        .seconds(
            "recycledNumberAge", \.recycledNumberAge, 0...315_360_000,
            "time without a proof of a telephone number after which the number alone does not sign in to an account that has another sign-in method, because the number may have been assigned to another person; 0: no limit"
        ),
        .flag(
            "allowsSignUp", \.allowsSignUp,
            "clients can create accounts; administrators, and custom tokens of their backends, always can"),
        .flag(
            "allowsDeletion", \.allowsDeletion,
            "clients can delete their own accounts, also by merging them; administrators always can"),
        .flag(
            "allowsDuplicateEmails", \.allowsDuplicateEmails,
            "an identity that signs in for the first time always gets a new account, even if another account has its email address; the address is stored with the identity only"
        ),
        .flag(
            "trustsGoogleForEveryDomain", \.trustsGoogleForEveryDomain,
            "an email address that Google has verified is trusted in every domain, not only in gmail.com and Workspace domains"
        ),
        .flag("requiresNonce", \.requiresNonce, "Apple's identity tokens must have a nonce"),
        .flag(
            "protectsLastSignInMethod", \.protectsLastSignInMethod,
            "the last sign-in method is removed only if the request confirms it"),
        .flag(
            "enforcesPasswordRules", \.enforcesPasswordRules,
            "the settings minimumPasswordLength and requiresLowercase to requiresSymbol apply; false: only a minimum length of 6 applies"
        ),
        .flag(
            "enforcesPasswordRulesAtSignIn", \.enforcesPasswordRulesAtSignIn,
            "with enforcesPasswordRules: these settings also apply to the password of a sign-in"),
        .number(
            "minimumPasswordLength", \.minimumPasswordLength, 6...64, "characters", "minimum length of new passwords"),
        .flag("requiresLowercase", \.requiresLowercase, "new passwords must have a lower-case ASCII letter"),
        .flag("requiresUppercase", \.requiresUppercase, "new passwords must have an upper-case ASCII letter"),
        .flag("requiresDigit", \.requiresDigit, "new passwords must have an ASCII digit"),
        .flag("requiresSymbol", \.requiresSymbol, "new passwords must have an ASCII punctuation character"),
        .flag(
            "rejectsBreachedPasswords", \.rejectsBreachedPasswords,
            "new passwords are rejected if they were in a data breach"),
        .flag(
            "resetUnlinksIdentities", \.resetUnlinksIdentities,
            "a password reset by email unlinks all identities of identity providers"),
        .seconds(
            "verificationLifetime", \.verificationLifetime, 600...604_800,
            "lifetime of codes that verify or change an email address"),
        .seconds(
            "resetLifetime", \.resetLifetime, 600...86_400, "lifetime of codes that reset a password"),
        .number(
            "passwordFailureLimit", \.passwordFailureLimit, 0...1000, "wrong passwords",
            "maximum number of wrong passwords that one client network can enter for one email address in ten minutes; 0: no limits on wrong passwords"
        ),
        .number(
            "signUpLimit", \.signUpLimit, 0...100_000, "sign-ups",
            "maximum number of sign-ups (with a password, or anonymous) from one client network in an hour; a sign-up that fails because another account has the email address counts too; with emailEnumerationProtection, an attempt to add an email address to an account, or to sign in for the first time with an email address that the provider has not verified, counts too if another account has the address; 0: no limit"
        ),
        .number(
            "emailLimit", \.emailLimit, 0...1000, "emails",
            "maximum number of emails of one purpose, such as password resets, to one email address, requested from one IPv4 /24 or IPv6 /48 in a quarter of an hour; 0: no limits on emails"
        ),
        .seconds(
            "anonymousLifetime", \.anonymousLifetime, 0...315_360_000,
            "time without use after which an anonymous account is deleted; 0: never"),
        .seconds(
            "auditRetention", \.auditRetention, 0...3_153_600_000,
            "how long audit events are kept; 0: forever"),
        .flag(
            "emailEnumerationProtection", \.emailEnumerationProtection,
            "responses do not reveal which addresses have accounts"),
        .flag("rotatesRefreshTokens", \.rotatesRefreshTokens, "each use of a refresh token returns a new one"),
        .seconds(
            "refreshTokenGracePeriod", \.refreshTokenGracePeriod, 0...300,
            "with rotatesRefreshTokens: how long a refresh token remains valid after its successor was used"),
        .seconds(
            "recentLoginMaxAge", \.recentLoginMaxAge, 60...3600,
            "maximum age of a login that still allows a change of address or credentials, a merge, or the deletion of the account"
        ),
        .flag(
            "requiresRecentLoginToLink", \.requiresRecentLoginToLink,
            "linking and unlinking require a recent login"),
        .flag(
            "followsRelayAddress", \.followsRelayAddress,
            "if Apple replaces a user's relay address, an account that has the former relay address gets the new one at the next sign-in. The account keeps its address if it has a password or uses email links, or if another account has the new address"
        ),
        .flag(
            "notifiesUnverifiedAddresses", \.notifiesUnverifiedAddresses,
            "notices about an account also go to an email address that neither the gateway nor a provider has verified. Such a notice has no link, and an address gets at most one of each kind per day"
        ),
        .flag(
            "notifiesSupportAccess", \.notifiesSupportAccess,
            "a user gets an email when an administrator signs in as the user (impersonateAccount)"),
        .seconds("idTokenLifetime", \.idTokenLifetime, 300...3600, "lifetime of ID tokens"),
        .number(
            "sessionLimit", \.sessionLimit, 0...1000, "sessions",
            "maximum number of active sessions of one account; a sign-in that exceeds it ends the session that was unused for the longest time (from 100 on, one of sixteen sign-ins does this); 0: no limit"
        ),
        .choice(
            "secondFactors", \.secondFactors.state,
            "disabled: sign-ins never ask for a second factor; enabled: they ask if the account has one; mandatory: a session without one can only be used to enroll one"
        ),
        .flag(
            "allowsTotp", \.secondFactors.allowsTOTP,
            "with secondFactors enabled or mandatory: users can enroll one-time passwords of an authenticator app"),
        .flag(
            "allowsSms", \.secondFactors.allowsSMS,
            "with secondFactors enabled or mandatory: users can enroll telephone numbers, to which codes are sent"),
        .number(
            "totpAdjacentIntervals", \.secondFactors.adjacentIntervals, SecondFactorPolicy.adjacentIntervalRange,
            "steps",
            "how many steps of 30 seconds the clock of an authenticator app may be ahead or behind"),
        .flag(
            "dropsUnrequestedProfile", \.dropsUnrequestedProfile,
            "a name or an email address from a provider is discarded if the requestedScopes of the app do not include it"
        ),
        .flag(
            "requiresCallerHeader", \.requiresCallerHeader,
            "if an app lists bundle IDs, packages or web domains, requests with its API keys must have a header with one of them"
        ),
        .flag(
            "requiresAppleOnEveryPlatform", \.requiresAppleOnEveryPlatform,
            "every app with a third-party login must offer apple.com or declare an exemption (App Review guideline 4.8); false: only apps for Apple's platforms must, that is, apps with the platform ios, macos, tvos, watchos, visionos or other, with a bundle ID, or with the distribution appStore or marketplace"
        ),
        .choice(
            "rescindedConsent", \.rescindedConsent,
            "what happens to the accounts of a child when a parent withdraws consent to the app (RESCIND_CONSENT of the App Store); endSessions: their sessions end; disableAccount: they are also disabled, until an administrator enables them"
        ),
    ]

    /// The values of the members that differ from `profile`, by name.
    public func overrides(of profile: Profile) -> [String: String] {
        let base = Policy(profile)
        let changed = Self.members.filter { $0.text(in: self) != $0.text(in: base) }
        return Dictionary(uniqueKeysWithValues: changed.map { ($0.name, $0.text(in: self)) })
    }

    /// Creates a policy from a profile and the values that differ from it. Unknown names and values are ignored,
    /// because a newer release may have written them.
    public init(_ profile: Profile, overrides: [String: String]) {
        self.init(profile)
        for member in Self.members {
            if let text = overrides[member.name] { _ = member.set(text, in: &self) }
        }
    }
}
