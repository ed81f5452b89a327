public import Encoding

/// Whether an app satisfies the App Review guidelines about sign-in.
public struct AppReview: Hashable, Sendable {
    public enum Status: String, Sendable {
        case met
        case violated
        /// The gateway cannot check the requirement, or a setting that the check needs is not declared.
        case open
    }

    public struct Point: Hashable, Sendable {
        /// The number of the guideline.
        public let guideline: String
        public let status: Status
        /// The finding about the app, for the developer who answers App Review. Begins in lower case, without a full
        /// stop.
        public let text: String
    }

    public let points: [Point]

    public var passes: Bool { points.allSatisfy { $0.status != .violated } }

    /// - Parameters:
    ///   - usesCustomTokens: whether any of the realm's present accounts has signed in with a custom token.
    ///   - clientIDsWithRedeemedCodes: the Apple client IDs for which an authorization code was redeemed with the
    ///     current private key, and the resulting refresh token is still authorized.
    public init(
        of app: App, in realm: Realm, usesCustomTokens: Bool = false, clientIDsWithRedeemedCodes: Set<ByteText>
    ) {
        let services = LoginServices(of: app, in: realm)
        points =
            Self.loginServices(services, app) + Self.ownProviders(services, realm)
            + Self.openPoints(services, app, realm, usesCustomTokens)
            + Self.deletion(realm.policy)
            + Self.revocation(of: app, services, realm, clientIDsWithRedeemedCodes)
    }

    /// The points about guideline 4.8 that are met or violated.
    private static func loginServices(_ services: LoginServices, _ app: App) -> [Point] {
        guard services.isCompliant else { return services.violations.map { point(.violated, $0.descriptionWithKind) } }
        guard !services.thirdParties.isEmpty else {
            return [point(.met, "it shows no third-party login, so no equivalent login is required")]
        }
        if let exemption = app.settings.exemption { return [point(.met, text(of: exemption))] }
        let names = services.thirdParties.map(\.rawValue).joined(separator: ", ")
        guard !services.isBeyondRule else {
            return [
                point(
                    .met,
                    """
                    it shows \(names), but no equivalent login is required: the policy requiresAppleOnEveryPlatform is \
                    false, and the app is not for Apple's platforms
                    """)
            ]
        }
        return [
            point(
                .met,
                "apple.com is listed before \(names); sign-in with \(names) is rejected while apple.com is not completely configured"
            )
        ] + conditions(app)
    }

    /// The three conditions for the equivalent login, in the order of guideline 4.8.
    private static func conditions(_ app: App) -> [Point] {
        let names = app.settings.requestedScopeNames ?? AppSettings.RequestedScope.allCases.map(\.rawValue)
        let requested = names.isEmpty ? "neither of them" : names.joined(separator: " and ")
        return [
            point(
                .met,
                """
                limits data collection to name and email address: Sign in with Apple has no other scopes, and the \
                app requests \(requested)
                """),
            point(
                .met,
                """
                lets users keep their email address private: the user may choose Hide My Email, and the gateway \
                accepts relay addresses like any other
                """),
            point(
                .met,
                """
                does not collect interactions for advertising without consent: Apple states that it does not track \
                interactions with the app, and the gateway sends Apple none
                """),
        ]
    }

    private static func text(of exemption: LoginServicesExemption) -> String {
        let declaration = exemption.declaration.map { ", declared by \($0.actor) at \($0.declaredAt.iso8601)" } ?? ""
        return "exempt as \(exemption.kind.rawValue)\(declaration), because: \(exemption.reason.text)"
    }

    /// A point for each provider that the operator declares as the account system of the app's own company.
    private static func ownProviders(_ services: LoginServices, _ realm: Realm) -> [Point] {
        services.methods.compactMap { realm.settings(of: $0) }.filter { realm.relation(of: $0) == .own }.map {
            settings in
            point(
                .met,
                """
                \(settings.provider.rawValue) (\(settings.openID?.issuer ?? "")) is declared as your company's own \
                account system, because: \(settings.relationReason?.text ?? "")
                """)
        }
    }

    /// The points about guideline 4.8 with the status `open`.
    private static func openPoints(
        _ services: LoginServices, _ app: App, _ realm: Realm, _ usesCustomTokens: Bool
    ) -> [Point] {
        var points: [Point] = []
        if app.settings.platform == .other {
            points.append(
                point(
                    .open,
                    "its platform is not declared, so the gateway does not know which kind of client ID Sign in with Apple uses"
                ))
        }
        for settings in (services.methods + services.linkOnly).compactMap({ realm.settings(of: $0) })
        where settings.provider.isGenericOpenID {
            let relation = settings.statedRelation
            guard relation == nil || relation != realm.relation(of: settings) else { continue }
            let finding = relation.map { "cannot be \($0.rawValue)" } ?? "is not stated"
            points.append(
                point(
                    .open,
                    "the relation of \(settings.provider.rawValue) \(finding), so it is treated as a social login"))
        }
        if usesCustomTokens, app.settings.exemption?.kind != .thirdPartyClient {
            points.append(
                point(
                    .open,
                    """
                    custom tokens are in use: the gateway cannot know by which login the backend identified their \
                    users
                    """))
        }
        return points
    }

    private static func point(_ status: Status, _ text: String) -> Point {
        Point(guideline: "4.8", status: status, text: text)
    }

    /// Guideline 5.1.1(v), and Apple's requirements for account deletion since June 2022.
    private static func deletion(_ policy: Policy) -> [Point] {
        let recent = policy.recentLoginMaxAge.components.seconds
        return [
            Point(
                guideline: "5.1.1(v)", status: .met,
                text: """
                    accounts:delete removes the account and its personal data at once; the app must offer it, and must \
                    sign the user in again if the last login is more than \(recent) seconds ago
                    """)
        ]
    }

    /// Apple requires that the deletion of an account revokes the tokens of Sign in with Apple (TN3194). A redeemed
    /// code shows that the app sends its codes and that the private key works.
    private static func revocation(
        of app: App, _ services: LoginServices, _ realm: Realm, _ clientIDsWithRedeemedCodes: Set<ByteText>
    ) -> [Point] {
        guard (services.methods + services.linkOnly).contains(.apple), let apple = realm.settings(of: .apple) else {
            return []
        }
        let canRevoke = !clientIDsWithRedeemedCodes.isDisjoint(with: app.audiences(of: apple).map { ByteText($0) })
        return [
            Point(
                guideline: "5.1.1(v)", status: canRevoke ? .met : .violated,
                text: canRevoke
                    ? "accounts:delete revokes the tokens of Sign in with Apple; codes of this app were redeemed"
                    : """
                    tokens of Sign in with Apple are not revoked on deletion, because no code of this app was redeemed \
                    with the configured private key: send authorizationCode with the sign-in, and run `sekisho check --live`
                    """)
        ]
    }
}

/// One of the five exemptions in the text of App Review guideline 4.8, with the operator's reason for claiming it.
public struct LoginServicesExemption: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Sendable {
        /// The app uses only its company's own account system.
        case ownAccountsOnly
        /// An alternative app marketplace, or an app that such a marketplace distributes and that uses its login.
        case alternativeMarketplace
        /// Education, enterprise or business apps that require an account of the organisation.
        case organisationAccounts
        /// A citizen identification system of a government or an industry.
        case governmentIdentity
        /// A client of one third-party service, whose accounts its users must have.
        case thirdPartyClient
    }

    /// The actor and the time of the latest declaration.
    public struct Declaration: Hashable, Sendable {
        /// The name of the actor in the audit trail.
        public let actor: String
        public let declaredAt: Instant

        public init(actor: String, declaredAt: Instant) {
            self.actor = actor
            self.declaredAt = declaredAt
        }
    }

    public let kind: Kind
    /// The exemption has no effect if the reason is invalid.
    public let reason: Reason
    /// Set by the store; `nil` in a change that has not been stored.
    public var declaration: Declaration?

    public init(kind: Kind, reason: String, declaration: Declaration? = nil) {
        self.kind = kind
        self.reason = Reason(reason)
        self.declaration = declaration
    }
}

extension ProjectConfiguration {
    /// Adds a declaration (the actor and the time) to every exemption that differs from the app's exemption in `old`.
    /// The other exemptions keep their declarations.
    public mutating func declareExemptions(since old: ProjectConfiguration, by actor: AuditActor, at now: Instant) {
        for index in apps.indices {
            guard var exemption = apps[index].app.settings.exemption else { continue }
            let before = old.app(apps[index].app.id)?.app.settings.exemption
            let isSame = before?.kind == exemption.kind && before?.reason == exemption.reason
            exemption.declaration =
                isSame ? before?.declaration : LoginServicesExemption.Declaration(actor: actor.name, declaredAt: now)
            apps[index].app.settings.exemption = exemption
        }
    }
}
