extension Realm {
    /// Whether users of `app` can sign in with the provider in a browser: for Apple, it has a Services ID and a key.
    public func hasBrowserFlow(of provider: ProviderID, for app: App) -> Bool {
        guard let settings = settings(of: provider), settings.isEnabled,
            ProviderStart(of: settings, for: app, in: self)?.webClientID != nil
        else { return false }
        return provider != .apple || settings.apple?.isComplete == true && settings.hasSecret
    }
}
