/// What an edit of a configuration may do beyond ordinary changes.
public struct EditPermissions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Change who is believed, or where codes and events go: ``ServiceKeyScope/trust``.
    public static let changeTrust = EditPermissions(rawValue: 1)
    /// Unlink the identities of a provider that gets another issuer.
    public static let discardIdentities = EditPermissions(rawValue: 2)
}

/// Why an edit of a configuration was rejected, valid as its result may be.
public enum ConfigurationEditRefusal: Refusal, Hashable {
    /// It needs ``EditPermissions/changeTrust``.
    case trustNeeded
    /// The provider gets another issuer than its identities have. It needs ``EditPermissions/discardIdentities``.
    case issuerInUse(ProviderID, identities: Int)
}

extension ConfigurationEditRefusal {
    public var code: ErrorCode {
        switch self {
        case .trustNeeded: .permissionDenied
        case .issuerInUse: .providerIssuerInUse
        }
    }

    public var detail: String? {
        switch self {
        case .trustNeeded: ServiceKeyScope.trust.missingDetail
        case .issuerInUse(let provider, let count):
            "\(provider.rawValue) has \(count == 1 ? "1 identity" : "\(count) identities") of another issuer. "
                + "Configure the new issuer under another provider ID, or set discardIdentities to true to unlink them."
        }
    }
}
