// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``PhoneAuthProvider/id``.
public let PhoneAuthProviderID = PhoneAuthProvider.id

/// Sends codes to telephone numbers, and creates credentials from the codes.
///
/// The gateway needs neither reCAPTCHA nor push notifications, so the library shows nothing.
public final class PhoneAuthProvider: Sendable {
    /// The provider ID of telephone numbers.
    public static let id = "phone"

    private let core: AuthCore

    private init(_ core: AuthCore) { self.core = core }

    /// Returns a provider for an instance (default: that of the default app).
    public static func provider(auth: Auth = .auth()) -> PhoneAuthProvider { PhoneAuthProvider(auth.core) }

    /// Sends a code to a telephone number.
    ///
    /// - Parameters:
    ///   - phoneNumber: with a plus sign and the calling code.
    ///   - uiDelegate: ignored.
    ///   - multiFactorSession: from ``MultiFactor/session()``, to enrol the number as second factor; `nil` to sign in,
    ///     link or reauthenticate.
    /// - Throws: ``AuthErrorCode/invalidPhoneNumber``; ``AuthErrorCode/tooManyRequests``;
    ///   ``AuthErrorCode/quotaExceeded``; ``AuthErrorCode/operationNotAllowed`` if the project does not send codes to
    ///   the region of the number.
    /// - Returns: the verification ID. The code is valid for ten minutes and for five attempts.
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession? = nil
    ) async throws -> String {
        guard !phoneNumber.isEmpty else { throw AuthErrorCode.missingPhoneNumber }
        guard let multiFactorSession else {
            let response: PhoneSessionInfo = try await core.post(
                "/v1/accounts:sendVerificationCode",
                SendVerificationCodeRequest(tenantId: core.tenantID, phoneNumber: phoneNumber))
            return response.sessionInfo
        }
        guard case .enrollment(let user) = multiFactorSession.purpose else {
            throw AuthErrorCode.missingMultiFactorInfo
        }
        let response: StartFactorEnrollmentResponse = try await user.withIDToken {
            try await user.core.post(
                "/v2/accounts/mfaEnrollment:start",
                StartFactorEnrollmentRequest(idToken: $0, phoneEnrollmentInfo: .init(phoneNumber: phoneNumber)))
        }
        guard let info = response.phoneSessionInfo else { throw AuthErrorCode.internalError }
        return info.sessionInfo
    }

    /// Sends a code to the number of a second factor, for a sign-in that waits for it.
    ///
    /// - Parameters:
    ///   - multiFactorInfo: one of ``MultiFactorResolver/hints``.
    ///   - uiDelegate: ignored.
    ///   - multiFactorSession: ``MultiFactorResolver/session``.
    /// - Throws: ``AuthErrorCode/invalidMultiFactorSession``; otherwise as
    ///   ``verifyPhoneNumber(_:uiDelegate:multiFactorSession:)``.
    /// - Returns: the verification ID.
    public func verifyPhoneNumber(
        with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
        multiFactorSession: MultiFactorSession?
    ) async throws -> String {
        guard case .signIn(let pendingCredential)? = multiFactorSession?.purpose else {
            throw AuthErrorCode.missingMultiFactorSession
        }
        let response: StartFactorSignInResponse = try await core.post(
            "/v2/accounts/mfaSignIn:start",
            StartFactorSignInRequest(
                tenantId: core.tenantID, mfaPendingCredential: pendingCredential, mfaEnrollmentId: multiFactorInfo.uid))
        return response.phoneResponseInfo.sessionInfo
    }

    /// Creates a credential from a code that the user has received.
    public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
        PhoneAuthCredential(
            .phone(.verification(PhoneVerification(sessionInfo: verificationID, code: verificationCode))))
    }
}

extension PhoneAuthProvider {
    /// Completion-handler form of the `async` method.
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil,
        completion: ((_ verificationID: String?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) { try await self.verifyPhoneNumber(phoneNumber) }
    }

    /// Completion-handler form of the `async` method.
    public func verifyPhoneNumber(
        _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, multiFactorSession: MultiFactorSession?,
        completion: ((_ verificationID: String?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) {
            try await self.verifyPhoneNumber(phoneNumber, multiFactorSession: multiFactorSession)
        }
    }

    /// Completion-handler form of the `async` method.
    public func verifyPhoneNumber(
        with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)?,
        multiFactorSession: MultiFactorSession?, completion: ((_ verificationID: String?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) {
            try await self.verifyPhoneNumber(with: multiFactorInfo, multiFactorSession: multiFactorSession)
        }
    }
}

extension AuthCore {
    func authenticate(
        phone credential: PhoneAuthCredential, for operation: AuthOperationType
    ) async throws -> Authentication {
        switch operation {
        case .signIn: try await authenticate(phone: credential, "SIGN_UP_OR_IN")
        case .link(let idToken, _): try await authenticate(phone: credential, "LINK", idToken: idToken)
        case .reauthenticate(let idToken): try await authenticate(phone: credential, "REAUTH", idToken: idToken)
        }
    }

    /// Sends a proof of a number to the gateway.
    func authenticate(
        phone credential: PhoneAuthCredential, _ operation: String, idToken: String? = nil
    ) async throws -> Authentication {
        // The ID token of a link determines the tenant.
        let isLink = ["LINK", "UPDATE"].contains(operation)
        let request = credential.request(operation, idToken: idToken, tenantID: isLink ? nil : tenantID)
        let response: TimedResponse<SignInWithPhoneNumberResponse> = try await post(
            "/v1/accounts:signInWithPhoneNumber", request)
        if let conflict = response.value.conflict { throw conflict }
        return Authentication(
            tokens: try .required(response.tokens),
            additionalUserInfo: AdditionalUserInfo(
                providerID: PhoneAuthProvider.id, isNewUser: response.value.isNewUser ?? false))
    }
}

extension SignInWithPhoneNumberResponse: SessionTokenResponse {
    /// The error in a response with status 200; `nil` if it has tokens.
    fileprivate var conflict: AuthErrorCode? {
        guard let temporaryProof, let phoneNumber else { return nil }
        let credential = PhoneAuthCredential(.phone(.temporaryProof(temporaryProof, number: phoneNumber)))
        var details: [String: any Sendable] = [AuthErrors.userInfoUpdatedCredentialKey: credential]
        guard needConfirmation == true else { return AuthErrorCode.credentialAlreadyInUse.with(details: details) }
        details[AuthErrors.userInfoSignInMethodsKey] = verifiedProvider
        return AuthErrorCode.accountExistsWithDifferentCredential.with(details: details)
    }
}

extension User {
    /// Sets or replaces the telephone number of the account.
    ///
    /// - Throws: ``AuthErrorCode/credentialAlreadyInUse`` if another account has the number;
    ///   ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/invalidVerificationCode``;
    ///   ``AuthErrorCode/unsupportedFirstFactor`` if the account has second factors.
    public func updatePhoneNumber(_ credential: PhoneAuthCredential) async throws {
        try await replacingTokens { [self] idToken in
            let authentication = try await core.authenticate(phone: credential, "UPDATE", idToken: idToken)
            guard try IDTokenClaims(of: authentication.tokens.idToken).subject == uid else {
                throw AuthErrorCode.responseForAnotherUser
            }
            await adopt(authentication.tokens, since: idToken) { $0.isAnonymous = false }
        }
        // The number is set. If the profile cannot be loaded now, the next `reload()` loads it.
        do {
            try await reload()
        } catch let error as AuthErrorCode where error.isTransient {}
    }

    /// Completion-handler form of the `async` method.
    public func updatePhoneNumber(_ credential: PhoneAuthCredential, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updatePhoneNumber(credential) }
    }
}
