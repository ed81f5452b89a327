internal import Encoding

/// The link of an email, which opens the page that redeems a code. The names of its query parameters are Firebase's,
/// because Firebase's SDKs read them.
public struct ActionLink: Hashable, Sendable {
    public enum Mode: String, Sendable, CaseIterable {
        case resetPassword
        case verifyEmail
        case verifyAndChangeEmail
        case recoverEmail
        case signIn
        case removeSignInMethod
        case revertSecondFactorAddition
        case undoMerge

        public init(_ purpose: OOBCode.Purpose) {
            self =
                switch purpose {
                case .verifyEmail: .verifyEmail
                case .resetPassword: .resetPassword
                case .signIn: .signIn
                case .changeEmail: .verifyAndChangeEmail
                case .recoverEmail: .recoverEmail
                case .removeSignInMethod: .removeSignInMethod
                case .revertFactorAddition: .revertSecondFactorAddition
                case .undoMerge: .undoMerge
                }
        }

        /// Whether only the gateway's own page supports this mode. The pages of apps support Firebase's modes, except
        /// `revertSecondFactorAddition`, after which the user has to set a new password.
        public var needsGatewayPage: Bool {
            switch self {
            case .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .signIn: false
            case .removeSignInMethod, .revertSecondFactorAddition, .undoMerge: true
            }
        }
    }

    public let url: String

    /// - Parameters:
    ///   - base: a URL from the configuration, or a checked ``ContinueURL``. Query parameters with the same names as
    ///     those of the link are removed.
    ///   - apiKey: the API key of the request for the code. If it is `nil`, the link contains the project's ID instead.
    ///   - signInPage: see ``EmailPayload/signInPage``.
    public init(
        _ mode: Mode, code: String, in realm: ID<Realm>, at base: String, apiKey: String?, language: Language,
        continueURL: String? = nil, signInPage: String? = nil
    ) {
        let parameters = [
            ("mode", mode.rawValue), ("oobCode", code),
            ("apiKey", apiKey ?? realm.project.rawValue),
            ("lang", language.rawValue), ("continueUrl", continueURL), ("tenantId", realm.tenant?.rawValue),
            ("signInPage", signInPage),
        ]
        let own = PercentEncoding.encode(form: parameters.compactMap { name, value in value.map { (name, $0) } })
        let (url, fragment) = base.divided(at: "#")
        let (path, query) = url.divided(at: "?")
        let otherPairs = query.dropFirst().split(separator: "&").map(String.init).filter { pair in
            !parameters.contains { $0.0 == pair.divided(at: "=").0 }
        }
        self.url = path + "?" + (otherPairs + [own]).joined(separator: "&") + fragment
    }
}

extension EmailSettings {
    /// The URL that links of `mode` open.
    ///
    /// - Parameter publicURL: the gateway's public URL, without a slash at the end.
    public func actionBase(of mode: ActionLink.Mode, at publicURL: String) -> String {
        let own = publicURL + Self.actionPath
        return mode.needsGatewayPage ? own : actionURL ?? own
    }

    /// The path of the gateway's own page.
    public static let actionPath = "/__/auth/action"
}

extension OutgoingEmail.Kind {
    /// Whether some emails of this kind have a link with ``EmailPayload/code`` and others have none: a notice to an
    /// address that nobody has verified has no link, and of the notices of a merge, only the one to the source's own
    /// address has this link.
    public var linkIsOptional: Bool { [.emailChanged, .identityLinked, .factorAdded, .accountsMerged].contains(self) }

    /// Whether an email of this kind is sent even if its link has become invalid.
    public var isSentWithInvalidLink: Bool { self == .accountsMerged }

    /// The mode of the link with ``EmailPayload/code``; `nil` if emails of this kind have no such link. They may still
    /// have links for ``EmailPayload/removals``.
    public var linkMode: ActionLink.Mode? {
        switch self {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .signIn: .signIn
        case .changeEmail: .verifyAndChangeEmail
        case .emailChanged: .recoverEmail
        case .identityLinked: .removeSignInMethod
        case .factorAdded: .revertSecondFactorAddition
        case .accountsMerged: .undoMerge
        case .signInCode, .signUpCode, .accountExists, .passwordChanged, .relayAddressChanged, .identityUnlinked,
            .accountReclaimed, .accountReplaced,
            .accountDeleted, .accountExported, .factorRemoved, .factorsReset, .recoveryCodeUsed, .recoveryCodesRenewed,
            .manyWrongCodes, .administratorAdded, .ownerAdded, .supportAccess:
            nil
        }
    }
}

extension String {
    /// Returns the text before the first `mark`, and the text from `mark` on.
    fileprivate func divided(at mark: Character) -> (String, String) {
        let end = firstIndex(of: mark) ?? endIndex
        return (String(self[..<end]), String(self[end...]))
    }
}
