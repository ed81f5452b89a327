internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    private var emailVisit: SignInPageEmails.Visit { SignInPageEmails.Visit(of: flow, at: pageBase) }

    /// Sends an email with a link and a code. The next page is the same whether or not an account has the address.
    ///
    /// A re-authentication sends it to the address of the account, whatever the form contains.
    func sendEmail(to email: String?, stays: Bool) async throws -> PageResponse {
        guard offer.screen.offersEmail else { throw OOBSendingRefusal.notAllowed }
        var email = email
        if request.operation == .reauthenticate {
            guard let owner = try await services.codes.caller(of: request, in: realm) else {
                return returnToApp(
                    .expired, error: .loginRequired, afterForm: true, because: TokenRefusal.sessionEnded)
            }
            guard owner.account.canUseEmailOnPage else { throw OOBSendingRefusal.notAllowed }
            email = owner.account.email?.rawValue
        }
        return try await announce(
            try await services.emails.sendSignIn(
                to: email, stays: stays, in: emailVisit, of: realm, from: context))
    }

    /// Sends an email that creates an account with the password.
    func sendSignUp(to email: String?, password: Secret?) async throws -> PageResponse {
        try await announce(
            try await services.emails.sendSignUp(
                to: email, password: password, in: emailVisit, of: realm, from: context))
    }

    /// Sends another email in place of the last one.
    func sendEmailAgain() async throws -> PageResponse {
        guard case .emailCode(let former) = try await state().step else { throw SignInPageRefusal.emailExpired }
        guard request.operation != .reauthenticate else { return try await sendEmail(to: nil, stays: former.stays) }
        return try await announce(
            try await services.emails.sendAgain(former, in: emailVisit, of: realm, from: context))
    }

    private func announce(_ email: SignInPageEmail) async throws -> PageResponse {
        try await store(.emailCode(email), hasNewCode: true)
    }

    func enterEmailCode(_ code: String?) async throws -> PageResponse {
        try await finishingEmail {
            try await services.emails.signIn(enteredCode: code, in: flow, of: realm, from: context)
        }
    }

    /// Completes the flow with a proven mailbox.
    private func finishingEmail(_ signIn: () async throws -> SignInPageEmails.Proof) async throws -> PageResponse {
        do {
            switch try await signIn() {
            case .signIn(let outcome, let email): return try await finish(outcome, stays: email.stays)
            case .unknownAddress(let email) where request.isForGuest: return try await previewUpgrade(with: email)
            case .unknownAddress: throw SignInRefusal.otherAccount
            }
        } catch SignInRefusal.otherAccount where request.operation == .reauthenticate {
            return returnToApp(
                .otherAccount, error: .userMismatch, afterForm: true, because: SignInRefusal.otherAccount)
        }
    }

    /// Returns the sealed content of a link that continues this flow in its browser, and proves nothing. The link has
    /// only a reference to the flow, which is stored for it.
    func returnLink() async throws -> String {
        try await update()
        let link = SignInPageLink(flow: .init(flow), tenant: realm.tenant?.id, email: nil)
        return try services.sealedTokens.encode(link, until: end, in: ID(realm.project.id))
    }

    /// Shows the page that the link of an email opens.
    func open(_ link: SignInPageLink, _ sealedLink: String) async throws -> PageResponse {
        guard link.email != nil else { return PageResponse(.redirect(to: pageURL), of: realm.id) }
        do {
            let email = try await services.emails.email(of: link, in: flow, of: realm)
            return response(.emailLink(sealedLink, sentTo: email.recipient, step(), pageContext))
        } catch let refusal as SignInPageRefusal {
            if let page = try await show(try await state(), .emailExpired, status: 400, because: refusal) {
                return page
            }
            return try await show(screen: .signIn, .emailExpired, status: 400, because: refusal)
        }
    }

    func submitEmailLink(_ sealedLink: String?) async throws -> PageResponse {
        let (link, _) = try services.sealedTokens.decode(
            SignInPageLink.self, from: sealedLink ?? "", at: services.clock.now(), in: ID(realm.project.id))
        return try await finishingEmail {
            try await services.emails.signIn(with: link, in: flow, of: realm, from: context)
        }
    }
}

extension SignInVisitor {
    /// Opens a link that leads back to a flow. In another browser than that of the flow, it shows what to do.
    func open(link sealed: String) async throws -> PageResponse {
        guard
            // In the browser of the flow, an email that has expired can be sent again.
            let (link, linkEnd) = ended(SignInPageLink.self, from: sealed),
            let realm = try await realm(of: link.tenant),
            let (flow, end) = try await services.steps.flow(of: link.flow, in: realm),
            services.clock.now() < linkEnd || isBrowser(of: flow)
        else { return failure(.expired, because: .flowInvalid) }
        if link.email != nil, !isBrowser(of: flow) {
            return PageResponse(
                Page.signInFailure(.linkElsewhere, returningTo: nil, pageContext).sessionResponse(), of: realm.id)
        }
        return try await resume(try seal(flow, until: end)) { try await $0.open(link, sealed) }
    }
}
