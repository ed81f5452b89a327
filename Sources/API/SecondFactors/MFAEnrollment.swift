internal import HTTP
internal import Identity

extension Endpoint {
    /// Creates the secret of a one-time password, which the user enters in an authenticator app.
    static let startMFAEnrollment = client(
        "startMfaEnrollment", .post, "/v2/accounts/mfaEnrollment:start"
    ) { call, client in
        let request = try call.body(as: StartEnrollmentRequest.self, for: client)
        try request.phoneEnrollmentInfo.requireAbsent()
        try client.realm.requireTOTPAllowed()
        let started = try await call.services.accounts.factors.start(
            idToken: try request.idToken.required(.missingIDToken), namesKind: request.totpEnrollmentInfo != nil,
            in: client.realm)
        return try .json(StartEnrollmentResponse(started))
    }

    /// Enrols the one-time password with the first code of the authenticator app.
    static let finalizeMFAEnrollment = client(
        "finalizeMfaEnrollment", .post, "/v2/accounts/mfaEnrollment:finalize"
    ) { call, client in
        let request = try call.body(as: FinalizeEnrollmentRequest.self, for: client)
        try request.phoneVerificationInfo.requireAbsent()
        try client.realm.requireTOTPAllowed()
        let signedIn = try await call.services.accounts.factors.finalize(
            idToken: try request.idToken.required(.missingIDToken), request.totpVerificationInfo?.verification,
            displayName: try request.displayName.checkedName()?.content, in: client.realm, from: call.context)
        return try .json(SessionResponse(FinalizeEnrollmentMembers(), signedIn))
    }

    static let withdrawMFAEnrollment = client(
        "withdrawMfaEnrollment", .post, "/v2/accounts/mfaEnrollment:withdraw"
    ) { call, client in
        let request = try call.body(as: WithdrawEnrollmentRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let signedIn = try await call.services.accounts.factors.withdraw(
            ID(request.mfaEnrollmentId ?? ""), idToken: idToken, in: client.realm, from: call.context)
        return try .json(SessionResponse(EmptyObject(), signedIn))
    }
}

extension Optional<PresenceOnly> {
    /// - Throws: ``FactorRefusal/notAllowed(_:)`` if a request names a telephone number as second factor.
    fileprivate func requireAbsent() throws(FactorRefusal) {
        if self != nil { throw .notAllowed("SMS based MFA not enabled.") }
    }
}

private struct StartEnrollmentRequest: ClientRequestBody {
    let idToken: String?
    let phoneEnrollmentInfo: PresenceOnly?
    let totpEnrollmentInfo: PresenceOnly?
    let tenantId: String?
    let targetProjectId: String?
}

private struct StartEnrollmentResponse: Encodable {
    struct SessionInfo: Encodable {
        let sharedSecretKey: String
        let verificationCodeLength: Int
        let hashingAlgorithm: String
        let periodSec: Int64
        let sessionInfo: String
        let finalizeEnrollmentTime: String
    }

    let totpSessionInfo: SessionInfo

    init(_ started: FactorEnrolment.StartedTOTP) {
        totpSessionInfo = SessionInfo(
            sharedSecretKey: started.secret, verificationCodeLength: started.digits,
            hashingAlgorithm: started.hashAlgorithm, periodSec: started.period.components.seconds,
            sessionInfo: started.sessionInfo, finalizeEnrollmentTime: started.expiresAt.iso8601)
    }
}

private struct FinalizeEnrollmentRequest: ClientRequestBody {
    struct TOTPVerification: Decodable {
        let sessionInfo: String?
        let verificationCode: String?

        var verification: FactorEnrolment.Verification {
            FactorEnrolment.Verification(
                sessionInfo: sessionInfo.nonEmpty, code: verificationCode.nonEmpty.map(Secret.init))
        }
    }

    let idToken: String?
    let phoneVerificationInfo: PresenceOnly?
    let totpVerificationInfo: TOTPVerification?
    let displayName: ProfileText?
    let tenantId: String?
    let targetProjectId: String?
}

private struct FinalizeEnrollmentMembers: Encodable {
    let totpAuthInfo = EmptyObject()
}

private struct WithdrawEnrollmentRequest: ClientRequestBody {
    let idToken: String?
    let mfaEnrollmentId: String?
    let tenantId: String?
    let targetProjectId: String?
}
