public import HTTP
public import Identity

/// The services that the pages with sessions use.
public struct SignInPageServices: Sendable {
    let sessions: BrowserSessions
    let codes: SignInCodes
    let support: SupportAccessCodes
    let steps: SignInPageSteps
    let emails: SignInPageEmails
    let guests: GuestUpgrades
    let forms: FormTokens
    let sealedTokens: any SealedTokens
    let secrets: FlowSecrets
    let clock: WallClock
    let timeZones: TimeZones
    /// Returns the issuer of a project's ID tokens, which a result names (RFC 9207).
    let issuer: @Sendable (ID<Project>) -> String

    public init(
        sessions: BrowserSessions, codes: SignInCodes, support: SupportAccessCodes, steps: SignInPageSteps,
        emails: SignInPageEmails, guests: GuestUpgrades, forms: FormTokens, sealedTokens: any SealedTokens,
        secrets: FlowSecrets, clock: WallClock, timeZones: TimeZones,
        issuer: @escaping @Sendable (ID<Project>) -> String
    ) {
        self.sessions = sessions
        self.codes = codes
        self.support = support
        self.steps = steps
        self.emails = emails
        self.guests = guests
        self.forms = forms
        self.sealedTokens = sealedTokens
        self.secrets = secrets
        self.clock = clock
        self.timeZones = timeZones
        self.issuer = issuer
    }
}

extension SignInPageServices {
    /// Returns the content of a link in an email, which leads back to a visit of the sign-in page.
    ///
    /// - Returns: `nil` if the gateway did not seal it, or it has expired.
    func link(_ sealed: String, in project: ID<Project>) -> SignInPageLink? {
        // Pages do not tell a forged link from an expired one.
        (try? sealedTokens.decode(SignInPageLink.self, from: sealed, at: clock.now(), in: ID(project)))?.0
    }
}
