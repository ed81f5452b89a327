#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation

    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, visionOS 1.0, *)
    extension Auth {
        /// Returns a request for the system's dialog, in which the user chooses a passkey.
        ///
        /// - Throws: ``AuthErrorCode/operationNotAllowed`` if the project does not use passkeys.
        public func startPasskeySignIn() async throws
            -> sending ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
        {
            let options = try await passkeyRequestOptions()
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: options.relyingPartyIdentifier
            ).createCredentialAssertionRequest(challenge: options.challenge)
            request.userVerificationPreference = .required
            return request
        }

        /// Signs in with the user's passkey. The gateway asks for no second factor.
        ///
        /// - Parameter credential: the result of the request from ``startPasskeySignIn()``.
        /// - Throws: ``AuthErrorCode/missingPasskeyEnrollment`` if no account has the passkey, for example because the
        ///   user removed it; ``AuthErrorCode/invalidAuthenticatorResponse``; ``AuthErrorCode/sessionExpired`` if the
        ///   dialog was open for more than 5 minutes; ``AuthErrorCode/userDisabled``.
        @discardableResult public func finalizePasskeySignIn(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialAssertion,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await signIn(withPasskey: PasskeyCredential(credential))
        }

        /// Creates the account of a new passkey, and signs in to it.
        ///
        /// - Parameters:
        ///   - credential: the passkey that the system created with the options from
        ///     ``startPasskeySignUp(email:displayName:)``.
        ///   - name: the name of the passkey (default: that of the password manager).
        ///   - email: the email address of the account. It is unverified at first.
        ///   - displayName: the name of the user.
        /// - Throws: ``AuthErrorCode/emailAlreadyInUse``; ``AuthErrorCode/invalidAuthenticatorResponse``;
        ///   ``AuthErrorCode/sessionExpired``; ``AuthErrorCode/adminRestrictedOperation``.
        @discardableResult public func finalizePasskeySignUp(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialRegistration,
            name: String? = nil, email: String? = nil, displayName: String? = nil,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await signUp(
                withPasskey: PasskeyCredential(credential), name: name, email: email, displayName: displayName)
        }
    }

    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, visionOS 1.0, *)
    extension User {
        /// Returns a request for the system's dialog, which creates a passkey of the account.
        ///
        /// - Parameter name: the name of the passkey (default: that of the password manager).
        /// - Throws: ``AuthErrorCode/operationNotAllowed`` if the project does not use passkeys;
        ///   ``AuthErrorCode/requiresRecentLogin``.
        public func startPasskeyEnrollment(
            withName name: String?
        ) async throws -> sending ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            let options = try await passkeyCreationOptions()
            passkeyName.withLock { $0 = name }
            return ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest.request(with: options)
        }

        /// Adds the created passkey to the account. An anonymous user becomes a permanent one.
        ///
        /// - Parameter credential: the result of the request from ``startPasskeyEnrollment(withName:)`` or
        ///   ``startPasskeyUpgrade()``.
        /// - Throws: ``AuthErrorCode/credentialAlreadyInUse`` if an account has the passkey;
        ///   ``AuthErrorCode/invalidAuthenticatorResponse``; ``AuthErrorCode/sessionExpired`` if the dialog was open
        ///   for more than 5 minutes; ``AuthErrorCode/requiresRecentLogin``.
        @discardableResult public func finalizePasskeyEnrollment(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialRegistration,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            let name = passkeyName.withLock { name in
                defer { name = nil }
                return name
            }
            return try await enrollPasskey(PasskeyCredential(credential), name: name)
        }
    }

    #if !os(tvOS)
        @available(iOS 18.0, macCatalyst 18.0, macOS 15.0, visionOS 2.0, *)
        extension User {
            /// Returns a request with which the system creates a passkey without asking the user, if the user's
            /// password manager has just filled in the password. Call it after a sign-in with a password, at most once
            /// per sign-in, and ignore an error of the request.
            ///
            /// - Throws: ``AuthErrorCode/requiresRecentLogin`` if the session was not opened with a password in the
            ///   last 5 minutes; ``AuthErrorCode/operationNotAllowed``.
            public func startPasskeyUpgrade() async throws
                -> sending ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
            {
                let options = try await passkeyCreationOptions(isUpgrade: true)
                passkeyName.withLock { $0 = nil }
                let request = ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest.request(with: options)
                request.requestStyle = .conditional
                // The system asks the user nothing, so it cannot verify them.
                request.userVerificationPreference = .preferred
                return request
            }
        }
    #endif

    // The compiler of Xcode 26, whose SDK has the type.
    #if compiler(>=6.2) && !os(tvOS)
        @available(iOS 26.0, macCatalyst 26.0, macOS 26.0, visionOS 26.0, *)
        extension Auth {
            /// Tells the user's password managers that no account has this passkey, so that they hide it. Call it only
            /// after ``finalizePasskeySignIn(withPlatformCredential:isolation:)`` has thrown
            /// ``AuthErrorCode/missingPasskeyEnrollment``.
            ///
            /// - Parameter credentialID: the ID of the passkey with which the user tried to sign in.
            public func reportUnknownPasskey(withCredentialID credentialID: Data) async throws {
                let relyingParty = try await passkeyRequestOptions().relyingPartyIdentifier
                try await ASCredentialUpdater().reportUnknownPublicKeyCredential(
                    relyingPartyIdentifier: relyingParty, credentialID: credentialID)
            }
        }

        @available(iOS 26.0, macCatalyst 26.0, macOS 26.0, visionOS 26.0, *)
        extension User {
            /// Tells the user's password managers which passkeys the account accepts, and the name of the account. They
            /// hide the others. Call it after each sign-in, and after a change of the passkeys, the email address or
            /// the display name.
            public func reportAcceptedPasskeys() async throws {
                for signal in try await passkeySignals() {
                    guard let userHandle = Data(anyBase64: signal.userId) else { continue }
                    let updater = ASCredentialUpdater()
                    try await updater.reportAllAcceptedPublicKeyCredentials(
                        relyingPartyIdentifier: signal.rpId, userHandle: userHandle,
                        acceptedCredentialIDs: signal.allAcceptedCredentialIds.compactMap { Data(anyBase64: $0) })
                    try await updater.reportPublicKeyCredentialUpdate(
                        relyingPartyIdentifier: signal.rpId, userHandle: userHandle, newName: signal.name)
                }
            }
        }
    #endif

    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, visionOS 1.0, *)
    extension ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        fileprivate static func request(
            with options: PasskeyCreationOptions
        ) -> sending ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: options.relyingPartyIdentifier
            ).createCredentialRegistrationRequest(
                challenge: options.challenge, name: options.name, userID: options.userID)
            request.userVerificationPreference = .required
            #if !os(tvOS)
                if #available(iOS 17.4, macCatalyst 17.4, macOS 14.4, visionOS 1.1, *) {
                    request.excludedCredentials = options.excludedCredentialIDs.map {
                        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                    }
                }
            #endif
            return request
        }
    }

    @available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, visionOS 1.0, *)
    extension PasskeyCredential {
        init(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration) {
            self.init(
                credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                attestationObject: credential.rawAttestationObject)
        }

        init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
            self.init(
                credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                authenticatorData: credential.rawAuthenticatorData, signature: credential.signature,
                userID: credential.userID)
        }
    }
#endif
