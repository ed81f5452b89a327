import API
import Identity
import Synchronization

/// Knows one code, `good`, and writes down what it is asked to do.
final class FakeEmailActionService: EmailActionService {
    enum EndpointCall: Hashable {
        case resetPassword(String, to: String, removing: Set<ProviderID> = [])
        case recover(String, removing: Set<ProviderID> = [])
        case removeSignInMethod(String)
        case apply(String)
        case disavow(String)
        case undoMerge(String)
        case sendReset(String, in: ID<Project>)
    }

    private let checked: CheckedCode
    private let projectIsKnown: Bool
    private let checkFailure: (any Error)?
    private let failure: (any Error)?
    /// Guards what was asked, and from where, in order.
    private let made = Mutex<[(EndpointCall, RequestContext)]>([])

    static let project = Project(
        id: ID("demo"), number: 4815, profile: .sekisho, policy: Policy(.sekisho),
        authorizedDomains: ["App.example.com", "localhost"])

    /// - Parameters:
    ///   - checkFailure: of looking at a code.
    ///   - failure: of everything that does something.
    init(
        _ purpose: OOBCode.Purpose = .verifyEmail, in project: Project = project, named name: String = "Demo",
        projectIsKnown: Bool = true, checkFailure: (any Error)? = nil, failure: (any Error)? = nil
    ) {
        checked = CheckedCode(
            code: OOBCode(
                hash: [1], purpose: purpose, account: ada.id, email: EmailAddress("ada@example.com")!,
                newEmail: purpose == .changeEmail || purpose == .recoverEmail ? EmailAddress("new@example.com") : nil,
                method: purpose == .removeSignInMethod
                    ? AddedSignInMethod(provider: .google, subject: "1", addedAt: now) : nil,
                source: purpose == .undoMerge ? ID("source") : nil, createdAt: now, expiresAt: now + .seconds(3600)),
            project: project, projectName: name, account: ada)
        self.projectIsKnown = projectIsKnown
        self.checkFailure = checkFailure
        self.failure = failure
    }

    var calls: [EndpointCall] { made.withLock { $0.map(\.0) } }
    var origins: [RequestContext] { made.withLock { $0.map(\.1) } }

    func check(_ code: String) async throws -> CheckedCode {
        if let checkFailure { throw checkFailure }
        guard code == "good" else { throw code.isEmpty ? OOBCodeRefusal.missing : .invalid }
        return checked
    }

    func resetPassword(
        _ code: String, to password: Secret, removing providers: Set<ProviderID>, from origin: RequestContext
    ) async throws {
        try note(.resetPassword(code, to: password.expose(), removing: providers), origin)
    }

    func recover(_ code: String, removing providers: Set<ProviderID>, from origin: RequestContext) async throws
        -> Remedied
    {
        try note(.recover(code, removing: providers), origin)
        return remedied
    }

    func removeSignInMethod(_ code: String, from origin: RequestContext) async throws -> Remedied {
        try note(.removeSignInMethod(code), origin)
        return remedied
    }

    /// With a reset, where the project allows passwords.
    private var remedied: Remedied {
        let reset = OOBCode(
            hash: [2], purpose: .resetPassword, account: ada.id, email: checked.code.email, createdAt: now,
            expiresAt: now + .seconds(3600))
        return Remedied(
            account: ada,
            reset: checked.project.policy.allowsPasswords ? IssuedCode(secret: "next", code: reset) : nil)
    }

    func apply(_ code: String, from origin: RequestContext) async throws { try note(.apply(code), origin) }

    func disavow(_ code: String, from origin: RequestContext) async throws { try note(.disavow(code), origin) }

    func undoMerge(_ code: String, from origin: RequestContext) async throws -> Remedied {
        try note(.undoMerge(code), origin)
        return remedied
    }

    func sendReset(to email: String, in project: Project, from origin: RequestContext) async throws {
        try note(.sendReset(email, in: project.id), origin)
    }

    func project(_ id: ID<Project>?) async throws -> (Project, name: String)? {
        guard projectIsKnown, id == nil || id == checked.project.id else { return nil }
        return (checked.project, name: checked.projectName)
    }

    private func note(_ call: EndpointCall, _ origin: RequestContext) throws {
        if let failure { throw failure }
        made.withLock { $0.append((call, origin)) }
    }
}
