internal import HTTP
internal import Identity

extension Endpoint {
    /// Sends a code to the telephone number of a second factor.
    static let startMFASignIn = client("startMfaSignIn", .post, "/v2/accounts/mfaSignIn:start") { call, client in
        let request = try call.body(as: StartSignInRequest.self, for: client)
        guard let pendingCredential = request.mfaPendingCredential.nonEmpty else {
            throw FactorRefusal.missingPendingCredentialOfCode
        }
        guard let id = request.mfaEnrollmentId.nonEmpty else { throw FactorRefusal.missingFactor }
        let sessionInfo = try await call.services.signIn.secondFactor.start(
            pendingCredential, with: ID(id), in: client.realm, from: call.context)
        return try .json(["phoneResponseInfo": ["sessionInfo": sessionInfo]])
    }

    /// Signs in with a second factor, after the first one was proven.
    static let finalizeMFASignIn = client(
        "finalizeMfaSignIn", .post, "/v2/accounts/mfaSignIn:finalize"
    ) { call, client in
        let request = try call.body(as: FinalizeSignInRequest.self, for: client)
        guard let pendingCredential = request.mfaPendingCredential.nonEmpty else {
            throw FactorRefusal.missingPendingCredential
        }
        let signedIn = try await call.services.signIn.secondFactor.finalize(
            pendingCredential, with: try request.presented(), for: client.app, in: client.realm,
            from: call.context)
        return try .json(SessionResponse(EmptyObject(), signedIn))
    }
}

private struct StartSignInRequest: ClientRequestBody {
    let mfaPendingCredential: String?
    let mfaEnrollmentId: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct FinalizeSignInRequest: ClientRequestBody {
    struct TOTPVerification: Decodable {
        let verificationCode: String?
    }

    struct RecoveryCode: Decodable {
        let code: String?
    }

    let mfaPendingCredential: String?
    let mfaEnrollmentId: String?
    let totpVerificationInfo: TOTPVerification?
    let phoneVerificationInfo: PhoneVerification?
    /// An extension.
    let recoveryCodeInfo: RecoveryCode?
    let tenantId: String?
    let targetProjectId: String?

    func presented() throws(FactorRefusal) -> SecondFactorSignIn.Presented {
        switch (totpVerificationInfo, phoneVerificationInfo, recoveryCodeInfo) {
        case (nil, let phone?, nil):
            guard let code = phone.code.nonEmpty else { throw .missingCode }
            guard let sessionInfo = phone.sessionInfo.nonEmpty else { throw .missingSessionInfo }
            return .phone(sessionInfo: sessionInfo, code: Secret(code))
        case (let totp?, nil, nil):
            guard let code = totp.verificationCode.nonEmpty else { throw .missingCode }
            guard let id = mfaEnrollmentId.nonEmpty else { throw .missingFactor }
            return .totp(ID(id), code: Secret(code))
        case (nil, nil, let recovery?):
            guard let code = recovery.code.nonEmpty else { throw .missingCode }
            return .recoveryCode(Secret(code))
        default: throw .providerNotSupported
        }
    }
}
