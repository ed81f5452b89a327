internal import Encoding
public import Identity

/// A way to sign in to an account, or a second factor, as the account page lists it.
public struct AccountMethod: Sendable {
    /// What the page's forms name.
    public enum Reference: Hashable, Sendable {
        /// An identity, the password, the email link or the telephone number.
        case provider(ProviderID)
        case passkey(ID<Passkey>)
        case factor(ID<Factor>)
    }

    public let reference: Reference
    public let name: SignInMethodName
    /// The address or the number, or the name that the user has chosen.
    public let detail: String?
    let isHiddenAddress: Bool
    let isSuspended: Bool
    let addedAt: Instant?
    let lastUsedAt: Instant?
    /// Of the device that added the method.
    let userAgent: String?
    /// Whether the user can sign in with it at present.
    let isUsable: Bool
    /// Whether the page offers to remove it.
    public let isRemovable: Bool
}

extension AccountMethod.Reference {
    private static let (passkey, factor) = ("passkey.", "factor.")

    public init(_ text: String) {
        if let id = text.removingExactly(prefix: Self.passkey) {
            self = .passkey(ID(id))
        } else if let id = text.removingExactly(prefix: Self.factor) {
            self = .factor(ID(id))
        } else {
            self = .provider(ProviderID(text))
        }
    }

    public var text: String {
        switch self {
        case .provider(let provider): provider.rawValue
        case .passkey(let id): Self.passkey + id.rawValue
        case .factor(let id): Self.factor + id.rawValue
        }
    }

    /// The query of the page that asks whether to remove the method, and of the page that renames it.
    public var query: String { "\(AccountField.method.rawValue)=" + PercentEncoding.encode(text) }

    var isFactor: Bool {
        if case .factor = self { true } else { false }
    }
}

extension AccountMethod {
    /// The ways to sign in to an account, and then its second factors.
    public static func all(of account: Account, in realm: Realm) -> [AccountMethod] {
        let usable = UsableSignInMethods(for: account, in: realm)
        let count = usable.count(of: account)
        func method(
            _ reference: Reference, _ name: SignInMethodName, detail: String? = nil, isHiddenAddress: Bool = false,
            isSuspended: Bool = false, addedAt: Instant? = nil, lastUsedAt: Instant? = nil, userAgent: String? = nil,
            isUsable: Bool
        ) -> AccountMethod {
            AccountMethod(
                reference: reference, name: name, detail: detail, isHiddenAddress: isHiddenAddress,
                isSuspended: isSuspended, addedAt: addedAt, lastUsedAt: lastUsedAt, userAgent: userAgent,
                isUsable: isUsable,
                // Linked again, a suspended identity would no longer be suspended.
                isRemovable: !isSuspended && count > (isUsable ? 1 : 0))
        }
        var all = account.identities.map { identity in
            method(
                .provider(identity.provider), SignInMethodName(identity.provider, in: realm),
                detail: identity.isPrivateEmail ? nil : identity.email?.rawValue,
                isHiddenAddress: identity.isPrivateEmail, isSuspended: identity.isSuspended,
                addedAt: identity.linkedAt, userAgent: identity.linkedDevice, isUsable: usable.contains(identity))
        }
        if account.hasPassword {
            all.append(
                method(
                    .provider(.password), .password, addedAt: account.passwordUpdatedAt,
                    isUsable: usable.contains(.password, of: account)))
        } else if account.usesEmailLinks {
            all.append(
                method(
                    .provider(.emailLink), .emailLink, detail: account.email?.rawValue,
                    isUsable: usable.contains(.emailLink, of: account)))
        }
        if let number = account.phoneNumber {
            all.append(
                method(
                    .provider(.phone), .phone, detail: number.masked, addedAt: account.phoneAddedAt,
                    isUsable: usable.contains(.phone)))
        }
        all += account.passkeys.map {
            method(
                .passkey($0.id), .passkey, detail: $0.name, addedAt: $0.addedAt, lastUsedAt: $0.lastUsedAt,
                isUsable: usable.contains($0))
        }
        return all + account.secondFactors.factors.map(AccountMethod.init)
    }

    /// A second factor, which is no way to sign in.
    private init(_ factor: Factor) {
        self.init(
            reference: .factor(factor.id), name: factor.kind == .totp ? .oneTimePassword : .phone,
            detail: factor.displayName ?? factor.phoneNumber?.masked, isHiddenAddress: false, isSuspended: false,
            addedAt: factor.enrolledAt, lastUsedAt: nil, userAgent: nil, isUsable: true, isRemovable: true)
    }
}
