internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The accounts that the browser remembers, on the gateway's own origin: on the host of an app, its scripts could read
/// the names on the page.
extension SignInVisit {
    private var cookie: PageCookie {
        .rememberedAccounts(in: realm.project.id, origin: call.origin(in: realm))
    }

    private var stored: RememberedAccounts {
        let now = services.clock.now()
        // A forged or expired cookie is like none.
        guard isOwnOrigin, let sealed = cookie.value(in: call.request),
            var (accounts, _) = try? services.sealedTokens.decode(
                RememberedAccounts.self, from: sealed, at: now, in: ID(realm.project.id))
        else { return RememberedAccounts() }
        accounts.removeExpired(at: now)
        return accounts
    }

    private func header(_ accounts: RememberedAccounts) throws -> String {
        guard !accounts.entries.isEmpty else { return cookie.removal }
        let lifetime = RememberedAccounts.lifetime
        let sealed = try services.sealedTokens.encode(
            accounts, until: services.clock.now() + lifetime, in: ID(realm.project.id))
        let header = cookie.header(sealed, maxAge: lifetime)
        // Browsers ignore a larger cookie, and then keep the former list (RFC 6265 §6.1).
        guard header.utf8.count > 4096 else { return header }
        var shorter = accounts
        shorter.forgetOldest()
        return try self.header(shorter)
    }

    /// The accounts with which the user can sign in here.
    var rememberedAccounts: [RememberedAccounts.Entry] {
        guard request.operation == .signIn else { return [] }
        return stored.entries.filter { $0.tenant == realm.tenant?.id && offers($0.method) }
    }

    /// ``rememberedAccounts`` with the name of the provider that signs in; `nil` for an account that the form signs in.
    var rememberedAccountsWithProviders: [(entry: RememberedAccounts.Entry, provider: String?)] {
        rememberedAccounts.map { entry in
            switch entry.method {
            case .password, .emailLink, .passkey, .phone: (entry, nil)
            default: (entry, name(of: entry.method))
            }
        }
    }

    /// The address with which a form begins. A user who does not continue with the session of the browser has another
    /// account than the remembered one.
    func suggestedEmail() async throws -> String {
        if let email = flow.email ?? request.loginHint { return email }
        if request.operation == .reauthenticate {
            return try await services.codes.caller(of: request, in: realm)?.account.email?.rawValue ?? ""
        }
        guard let remembered = rememberedEmail(nil), try await usableSession() == nil else { return "" }
        return remembered
    }

    /// The address of a remembered account.
    ///
    /// - Parameter account: `nil` for the newest account that signs in with its address.
    func rememberedEmail(_ account: String?) -> String? {
        rememberedAccounts.first { entry in
            account.map { entry.account.rawValue.isExactly($0) } ?? (entry.method == .password)
        }?.email
    }

    /// Returns the visit with what the user has chosen in the form with the box, both ways.
    func remembering(as fields: FormFields) async throws -> SignInVisit {
        let isWanted = fields[signIn: .remember] != nil
        switch fields[signIn: .step].flatMap(SignInAction.init) {
        case .signIn: return try remembering(isWanted)
        // The script moves the box into the form of the passkey, on the screen that has the box.
        case .passkey where flow.conflict == nil && offer.screen.offersPassword:
            return try await state().step == nil ? remembering(isWanted) : self
        default: return self
        }
    }

    /// Shows the page again, with the choice for the providers.
    func chooseRemembering(_ isWanted: Bool) throws -> PageResponse {
        PageResponse(.redirect(to: try remembering(isWanted).pageURL), of: realm.id)
    }

    private func remembering(_ isWanted: Bool) throws -> SignInVisit {
        guard isWanted != flow.remembersAccount else { return self }
        var flow = flow
        flow.remembersAccount = isWanted
        return try with(flow)
    }

    /// The cookie with an account that has signed in.
    ///
    /// - Returns: `nil` unless the user wants the browser to remember the account, or has wanted it before.
    func rememberingCookie(of account: Account, method: ProviderID) throws -> String? {
        guard isOwnOrigin, request.operation == .signIn, let name = account.visibleName else { return nil }
        var accounts = stored
        guard flow.remembersAccount || accounts.entries.contains(where: { $0.account == account.id }) else {
            return nil
        }
        accounts.remember(
            RememberedAccounts.Entry(
                account: account.id, tenant: realm.tenant?.id, name: name, email: account.email?.rawValue,
                method: method, rememberedAt: services.clock.now()))
        return try header(accounts)
    }

    /// Forgets an account, and shows the list again.
    func forgetAccount(_ account: ID<Account>) throws -> PageResponse {
        var accounts = stored
        accounts.forget(account)
        var response = Response.redirect(to: pageURL + "&screen=" + SignInPageRequest.Screen.accounts.rawValue)
        response.headers.add("Set-Cookie", try header(accounts))
        return PageResponse(response, of: realm.id)
    }
}
