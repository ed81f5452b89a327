internal import Foundation

extension Auth {
    /// Sends an email with a link to reset the password.
    ///
    /// If no account has the address, the call throws ``AuthErrorCode/userNotFound``. With email enumeration
    /// protection, the call succeeds even then.
    ///
    /// - Throws: ``AuthErrorCode/invalidEmail`` or ``AuthErrorCode/missingEmail``;
    ///   ``AuthErrorCode/unauthorizedDomain`` or ``AuthErrorCode/invalidContinueURI`` for the
    ///   ``ActionCodeSettings/url``; ``AuthErrorCode/operationNotAllowed`` if the project does not allow passwords, or
    ///   the gateway does not send email.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        try await core.sendOobCode("PASSWORD_RESET", email: email, settings: actionCodeSettings)
    }

    /// Sends an email with a sign-in link (email link).
    ///
    /// - Throws: ``AuthErrorCode/operationNotAllowed`` if ``ActionCodeSettings/handleCodeInApp`` is false, the project
    ///   does not allow email links, or the gateway does not send email; ``AuthErrorCode/invalidEmail`` or
    ///   ``AuthErrorCode/missingEmail``; ``AuthErrorCode/unauthorizedDomain`` or ``AuthErrorCode/invalidContinueURI``
    ///   for the ``ActionCodeSettings/url``.
    public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        guard actionCodeSettings.handleCodeInApp else {
            throw AuthErrorCode.operationNotAllowed.with("Set handleCodeInApp to true for sign-in links.")
        }
        try await core.sendOobCode("EMAIL_SIGNIN", email: email, settings: actionCodeSettings)
    }

    /// Sets a new password with the action code of a password reset. All sessions of the account end.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode`` or ``AuthErrorCode/expiredActionCode``;
    ///   ``AuthErrorCode/weakPassword`` or ``AuthErrorCode/passwordDoesNotMeetRequirements``;
    ///   ``AuthErrorCode/userDisabled``; ``AuthErrorCode/operationNotAllowed`` if the project does not allow passwords.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
        guard !newPassword.isEmpty else { throw AuthErrorCode.weakPassword }
        _ = try await core.resetPassword(code, newPassword: newPassword)
    }

    /// Returns the operation and the email addresses of an action code, without using the code.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode`` or ``AuthErrorCode/expiredActionCode``.
    public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
        // Without a new password, this request only checks the code.
        let response = try await core.resetPassword(code)
        // In the response, the current address is `email` for a change of address, and `newEmail` for a recovery.
        let isChange = response.newEmail != nil && response.requestType == "VERIFY_AND_CHANGE_EMAIL"
        return ActionCodeInfo(
            operation: ActionCodeOperation(name: response.requestType ?? ""),
            email: (isChange ? response.newEmail : response.email) ?? "",
            previousEmail: isChange ? response.email : response.newEmail)
    }

    /// Returns the email address of the account that a password reset code is for, without using the code.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode``, also if the code is for another operation;
    ///   ``AuthErrorCode/expiredActionCode``.
    public func verifyPasswordResetCode(_ code: String) async throws -> String {
        let info = try await checkActionCode(code)
        guard info.operation == .passwordReset else { throw AuthErrorCode.invalidActionCode }
        return info.email
    }

    /// Applies an action code that verifies an email address, changes it, or restores the previous one.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode`` or ``AuthErrorCode/expiredActionCode``;
    ///   ``AuthErrorCode/emailAlreadyInUse``; ``AuthErrorCode/userDisabled``.
    public func applyActionCode(_ code: String) async throws {
        let _: SessionResponse = try await core.post("/v1/accounts:update", UpdateRequest(oobCode: code))
    }

    /// Returns the sign-in methods of the account with an email address, for example `password` or `apple.com`.
    ///
    /// The result is empty if no account has the address, or if the project has email enumeration protection (the
    /// default).
    ///
    /// - Throws: ``AuthErrorCode/invalidEmail``.
    public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
        let response: CreateAuthUriResponse = try await core.post(
            "/v1/accounts:createAuthUri", CreateAuthUriRequest(tenantId: core.tenantID, identifier: email))
        return response.signinMethods ?? []
    }
}

extension AuthCore {
    /// Sends an email with an action code (`oobCode`). An ID token determines the tenant, so a request with one has no
    /// `tenantId`.
    ///
    /// - Parameter requestType: the operation of the code, for example `PASSWORD_RESET`.
    func sendOobCode(
        _ requestType: String, email: String? = nil, newEmail: String? = nil, idToken: String? = nil,
        settings: ActionCodeSettings?
    ) async throws {
        let _: EmptyResponse = try await post(
            "/v1/accounts:sendOobCode",
            SendOobCodeRequest(
                tenantId: idToken == nil ? tenantID : nil, requestType: requestType, email: email, newEmail: newEmail,
                idToken: idToken, continueUrl: settings?.url?.absoluteString,
                canHandleCodeInApp: settings?.handleCodeInApp, iOSBundleId: settings?.iOSBundleID,
                androidPackageName: settings?.androidPackageName))
    }

    /// Returns the operation and the addresses of an action code. If `newPassword` is set, uses the code to change the
    /// password.
    func resetPassword(_ code: String, newPassword: String? = nil) async throws -> ResetPasswordResponse {
        try await post(
            "/v1/accounts:resetPassword",
            ResetPasswordRequest(tenantId: tenantID, oobCode: code, newPassword: newPassword))
    }
}

extension Auth {
    /// Completion-handler form of the `async` method.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) {
            try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// Completion-handler form of the `async` method.
    public func sendSignInLink(
        toEmail email: String, actionCodeSettings: ActionCodeSettings, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) {
            try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// Completion-handler form of the `async` method.
    public func confirmPasswordReset(
        withCode code: String, newPassword: String, completion: @escaping ((any Error)?) -> Void
    ) {
        MainQueue.complete(completion) {
            try await self.confirmPasswordReset(withCode: code, newPassword: newPassword)
        }
    }

    /// Completion-handler form of the `async` method.
    public func checkActionCode(_ code: String, completion: @escaping (ActionCodeInfo?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.checkActionCode(code) }
    }

    /// Completion-handler form of the `async` method.
    public func verifyPasswordResetCode(
        _ code: String, completion: @escaping (String?, (any Error)?) -> Void
    ) {
        MainQueue.complete(completion) { try await self.verifyPasswordResetCode(code) }
    }

    /// Completion-handler form of the `async` method.
    public func applyActionCode(_ code: String, completion: @escaping ((any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.applyActionCode(code) }
    }

    /// Completion-handler form of the `async` method.
    public func fetchSignInMethods(
        forEmail email: String, completion: (([String]?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.fetchSignInMethods(forEmail: email) }
    }
}
