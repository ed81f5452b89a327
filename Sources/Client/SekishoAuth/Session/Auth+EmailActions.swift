internal import Foundation

extension Auth {
    /// Sends an email with a link to set a new password.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        try await core.sendOobCode("PASSWORD_RESET", email: email, settings: actionCodeSettings)
    }

    /// Sends an email with a link that signs in.
    ///
    /// - Throws: ``AuthErrorCode/operationNotAllowed`` unless the settings have `handleCodeInApp`.
    public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        guard actionCodeSettings.handleCodeInApp else {
            throw AuthErrorCode.operationNotAllowed.with("Set handleCodeInApp to true for sign-in links.")
        }
        try await core.sendOobCode("EMAIL_SIGNIN", email: email, settings: actionCodeSettings)
    }

    /// Sets a new password with the code of a reset email.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
        guard !newPassword.isEmpty else { throw AuthErrorCode.weakPassword }
        _ = try await core.resetPassword(code, newPassword: newPassword)
    }

    /// Returns what a code from an email is for, without using it.
    public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
        let response = try await core.resetPassword(code)
        // For a change of address, the gateway names the present address first.
        let isChange = response.newEmail != nil && response.requestType == "VERIFY_AND_CHANGE_EMAIL"
        return ActionCodeInfo(
            operation: ActionCodeOperation(name: response.requestType ?? ""),
            email: (isChange ? response.newEmail : response.email) ?? "",
            previousEmail: isChange ? response.email : response.newEmail)
    }

    /// Returns the address of a reset code, without using it.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode`` if the code is for something else.
    public func verifyPasswordResetCode(_ code: String) async throws -> String {
        let info = try await checkActionCode(code)
        guard info.operation == .passwordReset else { throw AuthErrorCode.invalidActionCode }
        return info.email
    }

    /// Uses a code that verifies an email address, changes it, or restores the previous one.
    public func applyActionCode(_ code: String) async throws {
        let _: SessionResponse = try await core.post("/v1/accounts:update", UpdateRequest(oobCode: code))
    }

    /// Returns the sign-in methods of the account with an email address.
    ///
    /// The result is empty if the project has email enumeration protection, which is the default of the gateway.
    public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
        let response: CreateAuthUriResponse = try await core.post(
            "/v1/accounts:createAuthUri", CreateAuthUriRequest(tenantId: core.tenantID, identifier: email))
        return response.signinMethods ?? []
    }
}

extension AuthCore {
    func sendOobCode(
        _ requestType: String, email: String? = nil, newEmail: String? = nil, idToken: String? = nil,
        settings: ActionCodeSettings?
    ) async throws {
        let _: EmptyResponse = try await post(
            "/v1/accounts:sendOobCode",
            SendOobCodeRequest(
                tenantId: idToken == nil ? tenantID : nil, requestType: requestType, email: email, newEmail: newEmail,
                idToken: idToken, continueUrl: settings?.url?.absoluteString))
    }

    func resetPassword(_ code: String, newPassword: String? = nil) async throws -> ResetPasswordResponse {
        try await post(
            "/v1/accounts:resetPassword",
            ResetPasswordRequest(tenantId: tenantID, oobCode: code, newPassword: newPassword))
    }
}

extension Auth {
    /// See the asynchronous form.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) {
            try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// See the asynchronous form.
    public func sendSignInLink(
        toEmail email: String, actionCodeSettings: ActionCodeSettings, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) {
            try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// See the asynchronous form.
    public func confirmPasswordReset(
        withCode code: String, newPassword: String, completion: @escaping ((any Error)?) -> Void
    ) {
        MainQueue.complete(completion) {
            try await self.confirmPasswordReset(withCode: code, newPassword: newPassword)
        }
    }

    /// See the asynchronous form.
    public func checkActionCode(_ code: String, completion: @escaping (ActionCodeInfo?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.checkActionCode(code) }
    }

    /// See the asynchronous form.
    public func verifyPasswordResetCode(
        _ code: String, completion: @escaping (String?, (any Error)?) -> Void
    ) {
        MainQueue.complete(completion) { try await self.verifyPasswordResetCode(code) }
    }

    /// See the asynchronous form.
    public func applyActionCode(_ code: String, completion: @escaping ((any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.applyActionCode(code) }
    }

    /// See the asynchronous form.
    public func fetchSignInMethods(
        forEmail email: String, completion: (([String]?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.fetchSignInMethods(forEmail: email) }
    }
}
