extension App {
    public var isAccountPage: Bool { id == Self.accountPage.id }

    /// The account page of the gateway, which offers every method of the project.
    public static let accountPage = App(
        id: ID("account"), settings: AppSettings(platform: .web, distribution: .web),
        graceEndsAt: Instant(seconds: 253_402_300_799))

    /// The console of the gateway, to which administrators sign in.
    static let console = App(id: ID("console"))

    /// Whether a flow may return to `target`, which may no longer be registered.
    public func accepts(_ target: AuthorizationTarget, in realm: Realm) -> Bool {
        // The reason does not matter: the gateway returns to no URL that it would not accept now.
        isAccountPage || (try? AuthorizationTarget(target.text, of: self, in: realm)) != nil
    }
}
