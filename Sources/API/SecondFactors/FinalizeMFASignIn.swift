internal import HTTP
internal import Identity

extension Endpoint {
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
    /// An extension.
    let recoveryCodeInfo: RecoveryCode?
    let tenantId: String?
    let targetProjectId: String?

    func presented() throws(FactorRefusal) -> SecondFactorSignIn.Presented {
        switch (totpVerificationInfo, recoveryCodeInfo) {
        case (let totp?, nil):
            guard let code = totp.verificationCode.nonEmpty else { throw .missingCode }
            guard let id = mfaEnrollmentId.nonEmpty else { throw .missingFactor }
            return .totp(ID(id), code: Secret(code))
        case (nil, let recovery?):
            guard let code = recovery.code.nonEmpty else { throw .missingCode }
            return .recoveryCode(Secret(code))
        case (nil, nil), (.some, .some): throw .providerNotSupported
        }
    }
}
