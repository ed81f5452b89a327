internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// A guest of an app signs in to keep the guest account, or to continue with another account. The page says what will
/// happen, and the user confirms. The exchange of the code then changes the accounts.
extension SignInVisit {
    /// - Returns: `nil` if the guest's session has ended, or the account is no longer a guest's.
    private func guest() async throws -> Caller? {
        guard let caller = try await services.codes.caller(of: request, in: realm), caller.account.isAnonymous else {
            return nil
        }
        return caller
    }

    /// Continues with the identity that a guest has proven at a provider.
    func signInGuest(with secrets: FlowResultSecrets) async throws -> PageResponse {
        guard let guest = try await guest() else {
            return PageResponse(.redirect(to: appReturn(error: .loginRequired).url), of: realm.id)
        }
        return try await proceed(
            with: services.guests.decide(secrets, of: guest, for: app, in: realm, from: context), afterForm: false)
    }

    private func proceed(with decision: GuestUpgrades.Decision, afterForm: Bool) async throws -> PageResponse {
        switch decision {
        case .upgrade(let preview): return try await store(preview)
        case .conflict(let conflict): return try await store(conflict)
        case .signIn(let pendingToken):
            let result = try await call.services.signIn.federated.signIn(
                .pendingToken(pendingToken), linkingTo: nil, autoCreate: false, for: app, in: realm, from: context)
            return try await finish(result.outcome, of: result.identity.provider, afterForm: afterForm)
        }
    }

    /// Continues with the account to which the user of a guest account has signed in.
    func previewMerge(into session: IDTokenContents, afterForm: Bool) async throws -> PageResponse {
        guard let guest = try await guest(), let target = try await services.codes.caller(session, in: realm) else {
            try await services.codes.discard(session.session, in: realm)
            return guestExpired(afterForm: afterForm)
        }
        let preview: GuestPreview
        do {
            preview = try await services.guests.preview(
                merging: guest, into: target, for: app, in: realm, from: context
            ).preview
        } catch let refusal as any Refusal {
            try await services.codes.discard(session.session, in: realm)
            return mergeRefused(because: refusal, afterForm: afterForm)
        }
        return try await discardingOnError(session.session) { try await store(preview) }
    }

    /// Continues with the mailbox that a guest has proven, whose address no account has.
    func previewUpgrade(with email: SignInPageEmail) async throws -> PageResponse {
        try await store(services.guests.preview(adding: email))
    }

    func show(
        _ preview: GuestPreview, _ problem: SignInProblem?, status: Int, because refusal: (any Refusal)?
    ) -> PageResponse {
        let page: Page =
            switch preview.change {
            case .upgrade(_, let provider):
                .upgradeGuest(preview, provider: name(of: provider), step(problem), pageContext)
            case .addEmail(let email): .upgradeGuest(preview, address: email.recipient, step(problem), pageContext)
            case .merge(let merge): .mergeGuest(merge, of: preview, step(problem), pageContext)
            }
        return response(page, status: status, because: refusal)
    }

    /// Returns to the app if the user has confirmed what would happen now.
    ///
    /// - Parameter shown: the ID of the preview that the user has seen.
    func confirmPreview(_ shown: String?) async throws -> PageResponse {
        guard case .guest(let preview) = try await state().step else { return try await pageAfterConfirmation() }
        guard let guest = try await guest() else {
            // The same form, sent at the same time, keeps the account.
            try await Task.sleep(for: .milliseconds(200))
            if case .held = try await state().step { return try await pageAfterConfirmation() }
            try await withdraw(.guest(preview))
            return guestExpired(afterForm: true)
        }
        guard let shown, preview.id.isExactly(shown) else {
            return show(preview, .previewOutdated, status: 400, because: SignInPageRefusal.previewOutdated)
        }
        switch preview.change {
        case .upgrade(let pendingToken, _): return try await confirmUpgrade(of: guest, with: pendingToken)
        case .addEmail(let email): return try await confirm(email, of: guest)
        case .merge(let merge): return try await confirm(merge, of: guest, preview)
        }
    }

    /// Leads to the enrolment of a second factor, if the form was sent twice.
    private func pageAfterConfirmation() async throws -> PageResponse {
        if case .held(let held) = try await state().step, held.question == .secondFactor {
            return PageResponse(.redirect(to: pageURL), of: realm.id)
        }
        return try await show(screen: .signIn, .codeExpired, status: 400)
    }

    private func confirmUpgrade(of guest: Caller, with pendingToken: String) async throws -> PageResponse {
        let decision: GuestUpgrades.Decision
        do {
            decision = try await services.guests.decide(
                pendingToken: pendingToken, of: guest, for: app, in: realm, from: context)
        } catch let refusal as ProviderRefusal {
            return try await startAgain(because: refusal)
        }
        guard case .upgrade = decision else { return try await proceed(with: decision, afterForm: true) }
        return try await complete(.pendingToken(pendingToken), of: guest)
    }

    private func confirm(_ email: SignInPageEmail, of guest: Caller) async throws -> PageResponse {
        do {
            guard try await services.guests.canAdd(email, in: realm) else {
                return try await startAgain(because: SignInPageRefusal.previewOutdated)
            }
        } catch let refusal as OOBCodeRefusal {
            return try await startAgain(because: refusal)
        }
        return try await complete(PageLink(email), of: guest)
    }

    /// Returns to the app with the code of a link. Where second factors are mandatory, the page links first, if it can
    /// add a factor, and asks for it: only the account that is no longer a guest's can have one.
    private func complete(_ link: PageLink, of guest: Caller) async throws -> PageResponse {
        let policy = realm.policy.secondFactors
        guard policy.state == .mandatory, policy.allowsTOTP || usesPasskeys else {
            let sealed = try services.codes.seal(link, in: realm)
            return try await issueCode(for: PageSignIn(linking: sealed, to: guest), afterForm: true)
        }
        let signedIn = try await services.codes.perform(
            link, by: guest.session, for: app, in: realm, from: context)
        return try await finish(.signedIn(signedIn))
    }

    /// Whether the guest account becomes part of the account to which the user has signed in.
    func mergesGuest(into account: ID<Account>) -> Bool {
        request.isForGuest && request.subject?.account != account
    }

    private func confirm(_ merge: GuestMerge, of guest: Caller, _ shown: GuestPreview) async throws -> PageResponse {
        let session = IDTokenContents(account: merge.account, session: merge.session)
        guard let target = try await services.codes.caller(session, in: realm) else {
            return try await startAgain(because: SignInPageRefusal.previewOutdated)
        }
        do {
            let (current, mergeToken) = try await services.guests.preview(
                merging: guest, into: target, for: app, in: realm, from: context)
            guard current.change == shown.change else {
                _ = try await store(current)
                return show(current, .previewOutdated, status: 400, because: SignInPageRefusal.previewOutdated)
            }
            let link = try services.codes.seal(
                .merge(mergeToken: mergeToken, guest: guest.account.id, session: guest.session.id), in: realm)
            return try await issueCode(for: PageSignIn(merging: link, into: target), afterForm: true)
        } catch EditRefusal.loginTooOld {
            try await withdraw(.guest(shown))
            return try await startAgain(because: EditRefusal.loginTooOld)
        } catch let refusal as MergeRefusal {
            try await withdraw(.guest(shown))
            return mergeRefused(because: refusal, afterForm: true)
        }
    }

    /// Forgets what the user would confirm, and shows the methods.
    private func startAgain(because refusal: any Refusal) async throws -> PageResponse {
        try await forgetState()
        return try await show(screen: .signIn, .codeExpired, status: 400, because: refusal)
    }

    /// Stores what the user is asked to confirm, in place of what the flow had before.
    private func store(_ preview: GuestPreview) async throws -> PageResponse {
        let visit = try showing(nil)
        try await visit.update { $0 = SignInPageState(step: .guest(preview)) }
        return PageResponse(.redirect(to: visit.pageURL), of: realm.id)
    }

    private func guestExpired(afterForm: Bool) -> PageResponse {
        returnToApp(.expired, error: .loginRequired, afterForm: afterForm, because: TokenRefusal.sessionEnded)
    }

    private func mergeRefused(because refusal: any Refusal, afterForm: Bool) -> PageResponse {
        returnToApp(.mergeRefused, error: .alreadyLinked, afterForm: afterForm, because: refusal)
    }

    func name(of provider: ProviderID) -> String {
        ProviderButton.name(of: provider, displayName: realm.settings(of: provider)?.openID?.displayName)
    }
}
