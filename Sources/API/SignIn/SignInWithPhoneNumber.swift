internal import HTTP
internal import Identity

extension Endpoint {
    /// Sends a code to a telephone number.
    static let sendVerificationCode = client(
        "sendVerificationCode", .post, "/v1/accounts:sendVerificationCode"
    ) { call, client in
        let request = try call.body(as: SendVerificationCodeRequest.self, for: client)
        try LoginServices.requireNotClientOfOneService(client.app)
        let sessionInfo = try await call.services.signIn.phone.sendCode(
            to: request.phoneNumber, in: client.realm, from: call.context)
        return try .json(["sessionInfo": sessionInfo])
    }

    /// Signs in with a telephone number, or gives the number to the account of an ID token.
    static let signInWithPhoneNumber = client(
        "signInWithPhoneNumber", .post, "/v1/accounts:signInWithPhoneNumber"
    ) { call, client in
        let request = try call.body(as: SignInWithPhoneNumberRequest.self, for: client)
        // As for email links: an app that lists its sign-in methods can add other methods to accounts.
        if request.idToken.nonEmpty == nil { try LoginServices.requireListed(.phone, for: client.app) }
        let outcome = try await call.services.signIn.phone.signIn(
            request.request, in: client.realm, from: call.context)
        return try .json(SessionResponse(PhoneMembers(outcome), outcome))
    }
}

private struct SendVerificationCodeRequest: ClientRequestBody {
    let phoneNumber: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct SignInWithPhoneNumberRequest: ClientRequestBody {
    enum Operation: String, WireEnum {
        case unspecified = "VERIFY_OP_UNSPECIFIED"
        case signUpOrIn = "SIGN_UP_OR_IN"
        case reauth = "REAUTH"
        case update = "UPDATE"
        case link = "LINK"
    }

    let sessionInfo: String?
    let code: String?
    let temporaryProof: String?
    let phoneNumber: String?
    let idToken: String?
    let operation: Operation?
    /// An extension.
    let takeOver: Bool?
    let tenantId: String?
    let targetProjectId: String?

    var request: PhoneMethod.Request {
        let operation: PhoneMethod.Operation =
            switch self.operation {
            case nil, .unspecified: .unspecified
            case .signUpOrIn: .signIn
            case .reauth: .reauthenticate
            case .update: .update
            case .link: .link
            }
        return PhoneMethod.Request(
            sessionInfo: sessionInfo.nonEmpty, code: code.nonEmpty.map(Secret.init),
            temporaryProof: temporaryProof.nonEmpty, phoneNumber: phoneNumber.nonEmpty, idToken: idToken.nonEmpty,
            operation: operation, takesOver: takeOver == true)
    }
}

private struct PhoneMembers: Encodable {
    let localId: String?
    let phoneNumber: String?
    let isNewUser: Bool?

    init(_ outcome: SignInOutcome) {
        localId = outcome.account?.id.rawValue
        phoneNumber = outcome.account?.phoneNumber?.rawValue
        isNewUser = outcome.isNewAccount
    }
}
