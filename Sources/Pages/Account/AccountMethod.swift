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
    let detail: String?
    let isHiddenAddress: Bool
    let isSuspended: Bool
    let addedAt: Instant?
    let lastUsedAt: Instant?
    /// Of the device that added the method.
    let userAgent: String?
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

    /// The query of the page that asks whether to remove the method.
    public var query: String { "\(AccountField.method.rawValue)=" + PercentEncoding.encode(text) }

    var isFactor: Bool {
        if case .factor = self { true } else { false }
    }
}

extension AccountMethod {
    /// The ways to sign in to an account, and then its second factors.
    public static func all(of account: Account, in realm: Realm) -> [AccountMethod] {
        let count = waysToSignIn(of: account, in: realm)
        func method(
            _ reference: Reference, _ name: SignInMethodName, detail: String? = nil, isHiddenAddress: Bool = false,
            isSuspended: Bool = false, addedAt: Instant? = nil, lastUsedAt: Instant? = nil, userAgent: String? = nil,
            isRemovable: Bool? = nil
        ) -> AccountMethod {
            AccountMethod(
                reference: reference, name: name, detail: detail, isHiddenAddress: isHiddenAddress,
                isSuspended: isSuspended, addedAt: addedAt, lastUsedAt: lastUsedAt, userAgent: userAgent,
                isRemovable: isRemovable ?? (count > 1))
        }
        var all = account.identities.map { identity in
            method(
                .provider(identity.provider), SignInMethodName(identity.provider, in: realm),
                detail: identity.isPrivateEmail ? nil : identity.email?.rawValue,
                isHiddenAddress: identity.isPrivateEmail, isSuspended: identity.isSuspended,
                addedAt: identity.linkedAt, userAgent: identity.linkedDevice,
                // Linked again, the identity would no longer be suspended.
                isRemovable: count > 1 && !identity.isSuspended)
        }
        if account.hasPassword {
            all.append(method(.provider(.password), .password, addedAt: account.passwordUpdatedAt))
        } else if account.usesEmailLinks {
            all.append(method(.provider(.emailLink), .emailLink, detail: account.email?.rawValue))
        }
        if let number = account.phoneNumber {
            all.append(method(.provider(.phone), .phone, detail: number.masked, addedAt: account.phoneAddedAt))
        }
        all += account.passkeys.map {
            method(
                .passkey($0.id), .passkey, detail: $0.name, addedAt: $0.addedAt, lastUsedAt: $0.lastUsedAt)
        }
        return all
            + account.secondFactors.factors.map {
                method(
                    .factor($0.id), $0.kind == .totp ? .oneTimePassword : .phone,
                    detail: $0.displayName ?? $0.phoneNumber?.masked, addedAt: $0.enrolledAt, isRemovable: true)
            }
    }

    /// The number of ways in which the user can sign in. Identities of providers that only link do not count.
    public static func waysToSignIn(of account: Account, in realm: Realm) -> Int {
        account.identities.filter { !realm.linkOnlyProviders.contains($0.provider) }.count
            + (account.hasPassword || account.usesEmailLinks ? 1 : 0) + (account.phoneNumber == nil ? 0 : 1)
            + account.passkeys.count + (account.usesCustomTokens ? 1 : 0)
    }
}
