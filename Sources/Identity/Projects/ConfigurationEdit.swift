/// What an edit of a configuration may change beyond ordinary changes.
public struct EditPermissions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Permission to change settings that decide whose tokens are accepted or where codes are sent:
    /// ``ServiceKeyScope/trust``.
    public static let changeTrust = EditPermissions(rawValue: 1)
    /// Permission to unlink the identities of a provider whose issuer changes.
    public static let discardIdentities = EditPermissions(rawValue: 2)
}

/// Why an edit was rejected because of what it changes, although the resulting configuration may be valid.
public enum ConfigurationEditRefusal: Refusal, Hashable {
    /// The edit needs ``EditPermissions/changeTrust``.
    case trustRequired
    /// The issuer of the provider would differ from the issuer of its identities. The edit needs
    /// ``EditPermissions/discardIdentities``.
    case issuerInUse(ProviderID, identities: Int)
    /// Another project has this RP ID of passkeys.
    case rpIDInUse(String)
    /// The project would lose this RP ID, of which it has passkeys.
    case rpIDHasPasskeys(String)
    /// Another project has passkeys of this RP ID.
    case rpIDOfForeignPasskeys(String)
}

extension ConfigurationEditRefusal {
    public var code: ErrorCode {
        switch self {
        case .trustRequired: .permissionDenied
        case .issuerInUse: .providerIssuerInUse
        case .rpIDInUse, .rpIDHasPasskeys, .rpIDOfForeignPasskeys: .rpIDInUse
        }
    }

    public var detail: String? {
        switch self {
        case .trustRequired: ServiceKeyScope.trust.missingScopeDetail
        case .issuerInUse(let provider, let count):
            "\(provider.rawValue) has \(count == 1 ? "1 identity" : "\(count) identities") of another issuer. "
                + "Configure the new issuer under another provider ID, or set discardIdentities to true to unlink them."
        case .rpIDInUse(let rpID): "Another project has the RP ID \(rpID). Choose another one."
        case .rpIDHasPasskeys(let rpID):
            "The project has passkeys of the RP ID \(rpID), which work under no other one. "
                + "Keep this RP ID, or first remove the passkeys from their accounts (deletePasskey)."
        case .rpIDOfForeignPasskeys(let rpID):
            "Another project has passkeys of the RP ID \(rpID). "
                + "Choose another one, or first remove these passkeys from their accounts (deletePasskey)."
        }
    }
}
