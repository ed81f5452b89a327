package import Identity

/// What the console's pages exchange with the script of passkeys.
extension PasskeyMethod.StartedSignIn {
    /// `PublicKeyCredentialRequestOptionsJSON`.
    package var optionsText: String { get throws { try PasskeyRequest(self).credentialRequestOptions.jsonText } }
}

extension PasskeyEnrolment.Started {
    /// `PublicKeyCredentialCreationOptionsJSON`.
    package var optionsText: String { get throws { try PasskeyCreation(self).credentialCreationOptions.jsonText } }
}

extension AuthenticationResponse {
    /// - Parameter field: what the script has written into the form.
    package init(field: String) throws(PasskeyRefusal) {
        self = try AuthenticatorResponseInput(field: field).authentication()
    }
}

extension RegistrationResponse {
    /// - Parameter field: what the script has written into the form.
    package init(field: String) throws(PasskeyRefusal) {
        self = try AuthenticatorResponseInput(field: field).registration()
    }
}
