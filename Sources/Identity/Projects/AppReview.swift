/// Whether an app satisfies the App Review guidelines about sign-in.
public struct AppReview: Hashable, Sendable {
    public enum Verdict: String, Sendable {
        case met
        case broken
        /// The app or its backend has to do it: this release does not.
        case open
    }

    public struct Point: Hashable, Sendable {
        public let guideline: String
        public let verdict: Verdict
        /// For the person who answers App Review.
        public let text: String
    }

    public let points: [Point]

    public var passes: Bool { points.allSatisfy { $0.verdict != .broken } }

    public init(of app: App, in project: Project) {
        let services = LoginServices(of: app, in: project)
        points = Self.loginServices(services, app.settings.exemption) + Self.deletion(services, project.policy)
    }

    /// Guideline 4.8.
    private static func loginServices(_ services: LoginServices, _ exemption: LoginServicesExemption?) -> [Point] {
        func point(_ verdict: Verdict, _ text: String) -> Point {
            Point(guideline: "4.8", verdict: verdict, text: text)
        }
        guard services.isCompliant else {
            return services.violations.map { point(.broken, $0.description) }
        }
        let social = services.methods.filter { $0.isSocial && $0 != .apple }
        guard !social.isEmpty else { return [point(.met, "it shows no third-party login that would need another one")] }
        if let exemption {
            return [point(.met, "exempt as \(exemption.kind.rawValue), because: \(exemption.reason)")]
        }
        let names = social.map(\.rawValue).joined(separator: ", ")
        return [point(.met, "apple.com stands before \(names), which is refused wherever apple.com cannot work")]
    }

    /// Guideline 5.1.1(v), and Apple's requirements for account deletion since June 2022.
    private static func deletion(_ services: LoginServices, _ policy: Policy) -> [Point] {
        let recent = policy.recentLoginMaxAge.components.seconds
        var points = [
            Point(
                guideline: "5.1.1(v)", verdict: .met,
                text: """
                    accounts:delete removes the account and all that belongs to it, at once; the app has to offer it, \
                    and to sign in again whoever did so more than \(recent) seconds ago
                    """)
        ]
        if services.methods.contains(.apple) {
            points.append(
                Point(
                    guideline: "5.1.1(v)", verdict: .open,
                    text: """
                        tokens of Sign in with Apple are not revoked on deletion: this release does not keep Apple's \
                        refresh tokens, so the app's backend has to call Apple's revocation endpoint itself
                        """))
        }
        return points
    }
}
