public import Identity

/// Redeems email action codes for pages, which know a code but not its project. Also sends password reset emails.
/// Functions that take a code throw ``OOBCodeRefusal``.
public struct EmailActionService: Sendable {
    private let sending: OOBCodeSender
    private let redemption: OOBCodeRedeemer
    private let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    private let findProject: @Sendable (ID<Project>?) async throws -> Realm?
    private let projectName: @Sendable (ID<Project>) async throws -> String?

    /// - Parameters:
    ///   - findRealm: returns a realm; `nil` if it does not exist.
    ///   - findProject: returns the realm of a project. The ID is `nil` for the only project of a single-project
    ///     installation.
    ///   - projectName: returns the display name of a project.
    public init(
        sending: OOBCodeSender, redemption: OOBCodeRedeemer,
        findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?,
        findProject: @escaping @Sendable (ID<Project>?) async throws -> Realm?,
        projectName: @escaping @Sendable (ID<Project>) async throws -> String?
    ) {
        self.sending = sending
        self.redemption = redemption
        self.findRealm = findRealm
        self.findProject = findProject
        self.projectName = projectName
    }

    /// Validates a code without redeeming it.
    public func check(_ code: String) async throws -> CheckedCode {
        let found = try await redemption.check(code, in: nil)
        guard let realm = try await findRealm(found.realm) else { throw OOBCodeRefusal.invalid }
        guard realm.tenant?.settings.isDisabled != true else { throw OOBCodeRefusal.notAllowed }
        let name = try await name(of: realm.project.id)
        return CheckedCode(
            code: found.code, realm: realm, projectName: name, account: found.account,
            newAccountChoice: found.newAccountChoice)
    }

    /// Sets a new password; see ``OOBCodeRedeemer/resetPassword(_:to:removing:choosesNewAccount:in:from:)``.
    ///
    /// - Throws: also ``CredentialRefusal``, for a password that the project's policy does not allow.
    public func resetPassword(
        _ code: String, to password: Secret, removing selection: MethodSelection, choosesNewAccount: Bool,
        from context: RequestContext
    ) async throws {
        _ = try await redemption.resetPassword(
            code, to: password, removing: selection, choosesNewAccount: choosesNewAccount,
            in: try await realm(of: code), from: context)
    }

    /// Creates a new account with the address that the code proves; see ``OOBCodeRedeemer/createAccount(_:in:from:)``.
    public func createAccount(_ code: String, from context: RequestContext) async throws -> RemedyResult {
        try await redemption.createAccount(code, in: try await realm(of: code), from: context)
    }

    /// Verifies or changes an address, and removes the sign-in methods that the user did not add; see
    /// ``OOBCodeRedeemer/confirm(_:removing:in:from:)``.
    public func confirm(_ code: String, removing selection: MethodSelection, from context: RequestContext) async throws
        -> RemedyResult
    {
        try await redemption.confirm(code, removing: selection, in: try await realm(of: code), from: context)
    }

    /// Restores the previous address, and removes what was added after the address was replaced; see
    /// ``OOBCodeRedeemer/recover(_:removing:in:from:)``.
    ///
    /// - Returns: the changed account, and a code with which the user can set a new password, if the account can have
    ///   one.
    public func recover(_ code: String, removing selection: MethodSelection, from context: RequestContext) async throws
        -> RemedyResult
    {
        try await redemption.recover(code, removing: selection, in: try await realm(of: code), from: context)
    }

    /// Removes a sign-in method, and what was added with or after that method; see
    /// ``OOBCodeRedeemer/removeSignInMethod(_:in:from:)``.
    public func removeSignInMethod(_ code: String, from context: RequestContext) async throws -> RemedyResult {
        try await redemption.removeSignInMethod(code, in: try await realm(of: code), from: context)
    }

    /// Disavows an account: the recipient of its verification code states that the account is not theirs.
    public func disavow(_ code: String, from context: RequestContext) async throws {
        try await redemption.disavow(code, in: try await realm(of: code), from: context)
    }

    /// Undoes a merge: restores the account that was merged into another one.
    public func undoMerge(_ code: String, from context: RequestContext) async throws -> RemedyResult {
        try await redemption.undoMerge(code, in: try await realm(of: code), from: context)
    }

    /// Sends an email with a link to reset a password.
    ///
    /// - Parameter signInPage: see ``EmailPayload/signInPage``.
    /// - Throws: ``OOBSendingRefusal``, ``TooManyAttempts``, or ``CredentialRefusal`` for an invalid address.
    public func sendReset(
        to email: String, signInPage: String? = nil, in realm: Realm, from context: RequestContext
    ) async throws {
        var request = OOBCodeSender.Request(purpose: .resetPassword, email: email)
        request.signInPage = signInPage
        _ = try await sending.send(request, in: realm, from: context)
    }

    /// Returns the realm of a project and the project's display name, or `nil` if there is no such project.
    ///
    /// - Parameter id: `nil` for the only project of a single-project installation.
    public func realm(ofProject id: ID<Project>?) async throws -> (Realm, name: String)? {
        guard let realm = try await findProject(id) else { return nil }
        return (realm, name: try await name(of: realm.project.id))
    }

    /// Returns the realm of a stored code, valid or not, and the project's display name; `nil` if it is not stored.
    func realm(ofStored code: String) async throws -> (Realm, name: String)? {
        guard let id = try await redemption.realm(ofStored: code), let realm = try await findRealm(id) else {
            return nil
        }
        return (realm, name: try await name(of: realm.project.id))
    }

    /// Returns the display name of a project.
    func name(of project: ID<Project>) async throws -> String {
        try await projectName(project) ?? project.rawValue
    }

    private func realm(of code: String) async throws -> Realm {
        try await check(code).realm
    }
}

/// A valid code with its realm and its account.
public struct CheckedCode: Sendable {
    public let code: OOBCode
    public var realm: Realm
    public let projectName: String
    /// The account of the code; for a sign-in link, the account that has the address now. `nil` if there is none.
    public let account: Account?
    public let newAccountChoice: NewAccountChoice
}
