internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension AccountPageRequest {
    /// Changes what the form asks for, with the service that the API's operation uses.
    func submit() async throws -> PageResponse {
        guard isFormAccepted else { throw SignInPageRefusal.foreignForm }
        switch path {
        case .overview, .methods, .add, .activity: throw RequestRefusal.notFound
        case .remove: return try await removeMethod()
        case .passkey: return try await addPasskey()
        case .rename: return try await renamePasskey()
        case .email: return try await changeEmail()
        case .password: return try await setPassword(.password, at: .overview)
        case .profile: return try await saveProfile()
        case .preferences: return try await savePreferences()
        case .devices: return try await endSessions()
        case .secure: return try await secureAccount()
        case .phone: return try await submitPhone()
        case .authenticator: return try await addAuthenticator()
        case .recoveryCodes: return try await renewRecoveryCodes()
        case .data: return try await download()
        case .delete: return try await deleteAccount()
        }
    }

    private func edit(_ input: AccountEditor.Input) async throws -> SignedIn? {
        try await services.accounts.editor.edit(caller, input, in: realm, from: requestContext).signedIn
    }

    private func removeMethod() async throws -> PageResponse {
        guard let reference, AccountMethod.all(of: account, in: realm).contains(where: { $0.reference == reference })
        else { throw FactorRefusal.factorUnknown }
        var input = AccountEditor.Input()
        input.keepsSignInMethod = true
        var userHandle: String?
        switch reference {
        case .factor(let factor):
            let signedIn = try await services.accounts.factors.withdraw(
                factor, for: caller, in: realm, from: requestContext)
            return try await done(.factor, at: .methods, replacingSessionBy: signedIn)
        case .passkey(let passkey):
            input.removedPasskeys = [passkey]
            input.replacesOwnSession = caller.session.passkey == passkey
            userHandle = encodedUserHandle(of: passkey)
        case .provider(.password): input.removesPassword = true
        case .provider(.emailLink): input.unlinked = [.password]
        case .provider(.phone): input.removesPhoneNumber = true
        case .provider(let provider): input.unlinked = [provider]
        }
        return try await done(
            .removed, at: .methods, replacingSessionBy: try await edit(input), removingPasskeyOf: userHandle)
    }

    private func changeEmail() async throws -> PageResponse {
        let sending = services.emailActions.sending
        if field(.step) == AccountStep.sendVerification.rawValue {
            _ = try await sending.sendVerification(to: caller, in: realm, from: requestContext)
            return try await done(.verification, at: .email)
        }
        let submitted = field(.email) ?? ""
        guard let email = EmailAddress(submitted) else {
            return response(
                .changeEmail(of: account, submitted: submitted, problem: .invalid, frame()),
                because: CredentialRefusal.invalidEmail)
        }
        do {
            try await sending.sendAddressChange(to: email, of: caller, in: realm, from: requestContext)
            return try await done(.linkSent, at: .email)
        } catch EditRefusal.emailTaken {
            return response(
                .changeEmail(of: account, submitted: submitted, problem: .taken, frame()),
                because: EditRefusal.emailTaken)
        }
    }

    /// Sets the password, which ends all other sessions.
    private func setPassword(_ notice: AccountNotice, at next: AccountPath) async throws -> PageResponse {
        guard allowsPassword else { throw EditRefusal.passwordsNotAllowed }
        var input = AccountEditor.Input()
        input.password = Secret(field(.newPassword) ?? "")
        do {
            return try await done(notice, at: next, replacingSessionBy: try await edit(input))
        } catch let refusal as CredentialRefusal {
            let missing = refusal.unmetRequirements(of: realm.policy)
            let page: Page =
                path == .secure
                ? .secureAccount(account, rules, missing: missing, frame())
                : .accountPassword(of: account, rules, missing: missing, frame())
            return response(page, because: refusal)
        }
    }

    private func secureAccount() async throws -> PageResponse {
        guard !allowsPassword else { return try await setPassword(.secured, at: .methods) }
        var input = AccountEditor.Input()
        input.renewsSession = true
        return try await done(.secured, at: .methods, replacingSessionBy: try await edit(input))
    }

    private func saveProfile() async throws -> PageResponse {
        let name = field(.displayName) ?? ""
        if let rejected = RejectedName(name) {
            return response(
                .profile(account.displayName, rejected: rejected, frame()),
                because: RequestRefusal.rejected(.invalidProfileAttribute))
        }
        var input = AccountEditor.Input()
        input.profile.displayName = AccountUpdate.Value(name.isEmpty ? nil : name)
        _ = try await edit(input)
        return try await done(.profile, at: .overview)
    }

    /// Saves the language and the time zone, and shows the next page in the new language.
    private func savePreferences() async throws -> PageResponse {
        let tag = field(.accountLanguage) ?? ""
        let language = Language(tag: tag)
        let zone = field(.timeZone) ?? ""
        let timeZone = TimeZoneName(zone)
        let (hasLanguage, hasTimeZone) = (tag.isEmpty || language != nil, zone.isEmpty || timeZone != nil)
        guard hasLanguage, hasTimeZone else {
            let rejected = RejectedPreferences(
                language: hasLanguage ? language : account.language, hasLanguage: hasLanguage,
                timeZone: String(zone.unicodeScalars.prefix(TimeZoneName.lengthLimit)), hasTimeZone: hasTimeZone)
            return response(
                .preferences(of: account, rejected: rejected, frame()),
                because: RequestRefusal.rejected(.invalidProfileAttribute))
        }
        var input = AccountEditor.Input()
        input.profile.language = AccountUpdate.Value(language)
        input.profile.timeZone = AccountUpdate.Value(timeZone)
        _ = try await edit(input)
        return try await done(.preferences, at: .overview, showing: language)
    }

    private func endSessions() async throws -> PageResponse {
        if field(.step) == AccountStep.endOthers.rawValue {
            var input = AccountEditor.Input()
            input.renewsSession = true
            return try await done(.others, at: .devices, replacingSessionBy: try await edit(input))
        }
        do {
            try await services.sessions.end(ID(field(.session) ?? ""), by: caller, in: realm, from: requestContext)
        } catch SessionRefusal.unknownSession {
            // The session has ended in the meantime, as the user wants.
        }
        return try await done(.session, at: .devices)
    }

    private func addAuthenticator() async throws -> PageResponse {
        try realm.requireTOTPAllowed()
        let (secret, enrolment) = (field(.secret) ?? "", field(.enrolment) ?? "")
        guard secret.wholeMatch(of: /[A-Z2-7]{16,128}/) != nil else { throw FactorRefusal.invalidSessionInfo }
        do {
            let signedIn = try await services.accounts.factors.finalize(
                for: caller,
                FactorEnrolment.Verification(
                    sessionInfo: enrolment, code: Secret((field(.code) ?? "").filter { $0 != " " })),
                displayName: nil, in: realm, from: requestContext)
            return try await firstRecoveryCodes(after: signedIn)
        } catch FactorRefusal.invalidCode {
            let pending = pendingOneTimePassword(secret: secret, enrolment: enrolment)
            return response(
                .addAuthenticator(pending, isRejected: true, frame()), because: FactorRefusal.invalidCode)
        }
    }

    /// Shows the recovery codes of a first factor. The email about the factor suffices.
    private func firstRecoveryCodes(after signedIn: SignedIn) async throws -> PageResponse {
        let contents = IDTokenContents(account: signedIn.account.id, session: signedIn.session.id)
        guard account.secondFactors.isEmpty,
            let caller = try await services.signInPage.codes.caller(contents, in: realm)
        else { return try await done(.factor, at: .methods, replacingSessionBy: signedIn) }
        var page: PageResponse
        do {
            let codes = try await services.accounts.factors.generateRecoveryCodes(
                for: caller, isAnnounced: false, in: realm, from: requestContext)
            page = response(.recoveryCodes(codes, frame()))
        } catch is any Refusal {
            // The login is no longer recent. The page of the methods offers the codes.
            return try await done(.factor, at: .methods, replacingSessionBy: signedIn)
        }
        if let renewed = try await replaceSession(by: signedIn) {
            page.response.headers.add("Set-Cookie", renewed.cookie)
        }
        return page
    }

    /// Responds with the codes themselves, and not with a redirection to a page: they are shown once, and the gateway
    /// stores only their hashes.
    private func renewRecoveryCodes() async throws -> PageResponse {
        let codes = try await services.accounts.factors.generateRecoveryCodes(
            for: caller, in: realm, from: requestContext)
        return response(.recoveryCodes(codes, frame()))
    }

    private func download() async throws -> PageResponse {
        var response = try await call.export(for: caller, in: realm)
        response.headers.add("Content-Disposition", "attachment; filename=\"account.json\"")
        response.headers.add("Cache-Control", "no-store")
        return PageResponse(response, of: realm.id)
    }

    private func deleteAccount() async throws -> PageResponse {
        guard field(.confirmed) != nil else {
            return response(
                .deleteAccount(AccountOverview(account, in: realm), isUnticked: true, signInURL: nil, frame()),
                because: RequestRefusal.rejected(.invalidArgument))
        }
        let revocation = try await services.apple.revocationOutcome(onDeletionOf: account, in: realm)
        try await services.accounts.editor.delete(
            caller, appleRevocation: revocation, in: realm, from: requestContext)
        let proof = services.signInPage.forms.token(for: .deletion(revocation))
        let query = PercentEncoding.encode(
            form: [
                ("deleted", revocation.rawValue), ("proof", proof), ("lang", context.language.rawValue),
            ])
        var response = Response.redirect(to: path.relativePath(to: .delete) + "?" + query)
        response.headers.add("Set-Cookie", cookie.removal)
        // "Back" must not show a page of the account again.
        response.headers.add("Clear-Site-Data", "\"cache\"")
        return PageResponse(response, of: realm.id)
    }
}
