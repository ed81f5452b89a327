internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists why sign-ins to an account fail now.
    static let listSignInObstacles = administrator(
        "listSignInObstacles", .get, "/v1/projects/{project}/accounts/{localId}/signInObstacles", needs: .readUsers
    ) { call, administrator in
        try call.checkProjectAndTenantInQuery(for: administrator)
        let obstacles = try await call.services.accounts.queries.signInObstacles(
            of: ID(call.parameters["localId"] ?? ""), in: administrator.realm)
        return try .json(SignInObstaclesResponse(obstacles))
    }
}

private struct SignInObstaclesResponse: Encodable {
    struct Obstacle: Encodable {
        let code: String
        let method: String?
        let description: String
    }

    let canSignIn: Bool
    let obstacles: [Obstacle]

    init(_ obstacles: [SignInObstacle]) {
        canSignIn = !obstacles.contains(where: \.code.stopsEverySignIn)
        self.obstacles = obstacles.map { obstacle in
            Obstacle(
                code: obstacle.code.rawValue, method: obstacle.method?.rawValue,
                description: obstacle.code.description)
        }
    }
}

extension SignInObstacle.Code {
    /// What is wrong, and what an administrator can do.
    fileprivate var description: String {
        switch self {
        case .accountDisabled: "The account is disabled. Enable it."
        case .noSignInMethod:
            "The account is a guest: only its present session can use it. Add an email address, or link an identity."
        case .noUsableMethod:
            "None of the account's sign-in methods works now. Enable one of them, or link another identity."
        case .methodNotAvailable:
            "The account has this sign-in method, but no app of the project accepts it. Check the provider, the policy "
                + "and the sign-in methods of the apps."
        case .identitySuspended: "The provider has disabled the user's account there. Only the user can change this."
        case .factorNotAvailable:
            "The project has no sender of text messages, so this second factor does not work. Configure a sender."
        case .noUsableFactor:
            "The account needs a second factor, and none of them works now. Remove the factors after you have "
                + "identified the user."
        case .passwordLimit:
            "Too many passwords were wrong in the last hour. Networks from which the user signed in recently may go "
                + "on; all others together have one attempt per minute. A password reset helps."
        case .networkPasswordLimit:
            "Several passwords were wrong in the last hour. A network that has sent so many has to wait up to ten "
                + "minutes, also with the right password (TOO_MANY_ATTEMPTS_TRY_LATER). A password reset helps."
        case .factorLimit:
            "Too many one-time passwords were wrong in the last hour. Networks from which the user signed in recently "
                + "may go on; others have to wait."
        case .relayStopped: "Apple forwards no email to the user, so links and codes do not arrive."
        }
    }
}
