internal import HTTP
internal import Identity

extension Endpoint {
    /// Creates the secret of a one-time password, which the user enters in an authenticator app.
    static let startMFAEnrollment = client(
        "startMfaEnrollment", .post, "/v2/accounts/mfaEnrollment:start"
    ) { call, client in
        let request = try call.body(as: StartEnrollmentRequest.self, for: client)
        if request.phoneEnrollmentInfo != nil || request.totpEnrollmentInfo == nil && !client.realm.allowsOnlyTOTP {
            try client.realm.requireSMSFactorsAllowed()
            let sessionInfo = try await call.services.accounts.factors.startPhone(
                idToken: try request.idToken.required(.missingIDToken),
                number: request.phoneEnrollmentInfo.map(\.phoneNumber), in: client.realm, from: call.context)
            return try .json(["phoneSessionInfo": ["sessionInfo": sessionInfo]])
        }
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
        let displayName = try request.displayName.checkedName()?.content
        if request.phoneVerificationInfo != nil || request.totpVerificationInfo == nil && !client.realm.allowsOnlyTOTP {
            try client.realm.requireSMSFactorsAllowed()
            let signedIn = try await call.services.accounts.factors.finalizePhone(
                idToken: try request.idToken.required(.missingIDToken), request.phoneVerificationInfo?.verification,
                displayName: displayName, in: client.realm, from: call.context)
            return try .json(SessionResponse(FinalizePhoneMembers(), signedIn))
        }
        try client.realm.requireTOTPAllowed()
        let signedIn = try await call.services.accounts.factors.finalize(
            idToken: try request.idToken.required(.missingIDToken), request.totpVerificationInfo?.verification,
            displayName: displayName, in: client.realm, from: call.context)
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

extension Realm {
    /// Whether a request that names no kind of factor is taken for one about one-time passwords. Otherwise it is taken
    /// for one about telephone numbers, as by Firebase.
    fileprivate var allowsOnlyTOTP: Bool { policy.secondFactors.allowsTOTP && !policy.secondFactors.allowsSMS }
}

private struct StartEnrollmentRequest: ClientRequestBody {
    struct PhoneEnrollment: Decodable {
        let phoneNumber: String?
    }

    let idToken: String?
    let phoneEnrollmentInfo: PhoneEnrollment?
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
    let phoneVerificationInfo: PhoneVerification?
    let totpVerificationInfo: TOTPVerification?
    let displayName: ProfileText?
    let tenantId: String?
    let targetProjectId: String?
}

/// The code that was sent to a telephone number.
struct PhoneVerification: Decodable {
    let sessionInfo: String?
    let code: String?

    var verification: FactorEnrolment.Verification {
        FactorEnrolment.Verification(sessionInfo: sessionInfo.nonEmpty, code: code.nonEmpty.map(Secret.init))
    }
}

private struct FinalizePhoneMembers: Encodable {
    let phoneAuthInfo = EmptyObject()
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
