public import Identity

/// The built-in identity providers of an installation. Apple is always one of them, because App Review guideline 4.8
/// can require it.
public struct ProviderList: Sendable {
    let apple: IdentityProvider
    let byID: [ProviderID: IdentityProvider]
    public let supported: SupportedProviders

    public init(apple: IdentityProvider, others: [IdentityProvider]) {
        let all = [apple] + others
        self.apple = apple
        byID = Dictionary(uniqueKeysWithValues: all.map { ($0.value.id, $0) })
        supported = SupportedProviders(all.map(\.value))
    }

    /// The providers of this release.
    public static let live = ProviderList(apple: .apple, others: [.google])
}

extension ProviderList {
    /// Returns the providers with all of their endpoints at simulators, each of which serves the paths of all hosts of
    /// its provider.
    ///
    /// - Parameter baseURL: returns the URL of the provider's simulator, without a slash at the end; `nil` leaves the
    ///   provider unchanged.
    public func served(at baseURL: (ProviderID) -> String?) -> ProviderList {
        func served(_ provider: IdentityProvider) -> IdentityProvider {
            var provider = provider
            if let base = baseURL(provider.value.id) { provider.endpoints = provider.endpoints.moved(to: base) }
            return provider
        }
        return ProviderList(
            apple: served(apple), others: byID.values.filter { $0.value.id != apple.value.id }.map { served($0) })
    }
}

extension SupportedProviders {
    /// The providers of this release.
    public static let live = ProviderList.live.supported
}
