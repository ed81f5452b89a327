internal import API
internal import Gateway
internal import Identity

extension Command {
    static let linkUser = Command(
        words: ["users", "link"],
        summary: "Link an identity of a provider to an account",
        operand: .user,
        options: [
            .project, .tenant, .provider,
            .text("subject", "ID", "ID of the user at the provider", isRequired: true),
            .text("email", "ADDRESS", "email address of the user at the provider, stored as not verified"),
        ],
        details: [
            "Whoever signs in to the provider as this user can then use the account. An identity of another account is not moved.",
            userDetail,
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let provider = try arguments.provider()
        let subject = try arguments.text("subject")
        guard LinkedIdentity.isValidSubject(subject) else {
            throw UsageError(message: "--subject: expected 1 to 512 bytes without control characters")
        }
        let email = try arguments.optionalText("email").map { text throws(UsageError) -> EmailAddress in
            guard let email = EmailAddress(text) else {
                throw UsageError(message: "--email: expected an email address, got \"\(text)\"")
            }
            return email
        }
        let identity = LinkedIdentity(provider: provider, subject: subject, email: email, profile: UserProfile())
        try Administration.runOnAccount(arguments) { administration, account, realm in
            try await administration.apply(.link(identity, to: account.id), in: realm)
            Terminal.writeLine("linked \(provider.rawValue) to \(account.id)")
        }
    }

    static let unlinkUser = Command(
        words: ["users", "unlink"],
        summary: "Remove the identity of a provider from an account",
        operand: .user,
        options: [
            .project, .tenant, .provider,
            .flag("allow-no-sign-in-method", "also remove the last sign-in method of the account"),
        ],
        details: [userDetail],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let provider = try arguments.provider()
        let allowsNone = arguments.has("allow-no-sign-in-method")
        try Administration.runOnAccount(arguments) { administration, account, realm in
            try await administration.apply(
                .unlink(provider, from: account.id, allowsNoSignInMethod: allowsNone), in: realm)
            Terminal.writeLine("unlinked \(provider.rawValue) from \(account.id)")
        }
    }
}

extension Option {
    fileprivate static let provider = text(
        "provider", "ID", "provider of the identity, such as apple.com", isRequired: true)
}

extension Arguments {
    fileprivate func provider() throws(UsageError) -> ProviderID {
        let provider = ProviderID(try text("provider"))
        guard provider.isLinkable else {
            throw UsageError(
                message: "--provider: expected a provider such as apple.com or oidc.NAME, got \"\(provider.rawValue)\"")
        }
        return provider
    }
}
