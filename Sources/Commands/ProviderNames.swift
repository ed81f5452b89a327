internal import Identity
internal import Providers

/// The names of the supported providers, for help texts.
enum ProviderNames {
    /// The names that users know, with `or` or another conjunction before the last one.
    ///
    /// - Parameter further: names that follow those of the built-in providers.
    static func all(beforeLast conjunction: String, and further: [String] = []) -> String {
        (SupportedProviders.live.all.map(\.displayName) + further).joined(beforeLast: conjunction)
    }

    /// The names of the built-in providers that have a setting, and `oidc.NAME` if the others have it.
    static func with(_ setting: Provider.Setting) -> String {
        let providers = SupportedProviders.live.all.filter { $0.settings.contains(setting) }.map(\.displayName)
        let others = Provider.genericOpenID.settings.contains(setting) ? [Provider.genericOpenID.id.rawValue] : []
        return (providers + others).joined(separator: ", ")
    }

    /// The names of the built-in providers that can have these relations.
    static func with(_ relations: Provider.Relations) -> String {
        SupportedProviders.live.all.filter { $0.relations == relations }.map(\.displayName).joined(beforeLast: "and")
    }

    /// The IDs of the built-in providers, except Apple, to which guideline 4.8 applies.
    static var thirdPartyIDs: String {
        SupportedProviders.live.all.map(\.id).filter { $0 != .apple }.map(\.rawValue).joined(separator: ", ")
    }
}
