/// What an identity provider is to an app. It decides whether App Review guideline 4.8 requires Apple beside the
/// provider, and which of its exemptions can hold.
public enum ProviderRelation: String, CaseIterable, Codable, Sendable {
    /// A third-party or social login.
    case social
    /// The account system of the app's own company. It needs neither Apple nor an exemption.
    case own
    /// Existing accounts of a school or an employer.
    case organisation
    /// A citizen identification system of a government or an industry.
    case government
    /// The login of an alternative app marketplace.
    case marketplace
    /// The one service whose client the app is.
    case thirdPartyService
}

extension ProviderSettings {
    /// The stated relation, or `social` if none is stated.
    public var relation: ProviderRelation { statedRelation ?? .social }

    /// Whether the provider can have the stated relation. Google can be an organisation only with Workspace domains.
    var relationIsPossible: Bool {
        switch provider {
        case .apple: relation == .social
        case .google: relation == .social || relation == .organisation && !hostedDomains.isEmpty
        default: true
        }
    }
}

extension Project {
    /// Throws unless the identity belongs to a hosted domain that its provider's settings list. Every proof of an
    /// identity is checked, also one in a pending token that is older than the list.
    func requireHostedDomain(of identity: VerifiedIdentity) throws(ProviderRefusal) {
        guard let domains = settings(of: identity.provider)?.hostedDomains, !domains.isEmpty else { return }
        let domain = identity.hostedDomain?.lowercased()
        guard let domain, domains.contains(where: { $0.lowercased() == domain }) else {
            throw .hostedDomain(expected: domains, seen: identity.hostedDomain)
        }
    }
}
