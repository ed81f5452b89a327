internal import HTML
public import Identity

/// A sign-in method that a page lists for the owner of the account.
public struct ListedMethod: Sendable {
    /// The name of the checkbox.
    let field: String
    let method: SignInMethodName
    /// The name of a passkey, which its user has chosen, or the last digits of a telephone number.
    let name: String?
    public let addedAt: Instant?
    let userAgent: String?

    public init(_ identity: LinkedIdentity, in realm: Realm) {
        field = CodeForm.removalPrefix + identity.provider.rawValue
        method = SignInMethodName(identity.provider, in: realm)
        name = nil
        addedAt = identity.linkedAt
        userAgent = identity.linkedDevice
    }

    public init(_ passkey: Passkey) {
        field = CodeForm.passkeyRemovalPrefix + passkey.id.rawValue
        method = .passkey
        name = Self.shortened(passkey.name)
        addedAt = passkey.addedAt
        userAgent = nil
    }

    public init(_ number: PhoneNumber, addedAt: Instant?) {
        field = CodeForm.removalPrefix + ProviderID.phone.rawValue
        method = .phone
        name = number.masked
        self.addedAt = addedAt
        userAgent = nil
    }

    /// In Unicode scalars.
    private static let nameLimit = 40

    /// The beginning of the name, because a user could write a message to the owner of the mailbox into it.
    private static func shortened(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(nameLimit)
        return scalars.endIndex == name.endIndex ? name : String(String.UnicodeScalarView(scalars)) + "…"
    }
}

extension CodeForm {
    /// Prefix of the field names of the checkboxes for identities and the telephone number. The provider's ID follows.
    public static let removalPrefix = "remove."
    /// Prefix of the field names of the checkboxes for passkeys. The credential ID follows.
    public static let passkeyRemovalPrefix = "removePasskey."
}

extension Page.Context {
    /// One unchecked checkbox for each method; empty if there are no methods.
    func checkboxes(for methods: [ListedMethod], _ title: Text, _ explanation: Text) -> [Markup] {
        guard !methods.isEmpty else { return [] }
        let boxes = methods.enumerated().map { checkbox($0.element, number: $0.offset) }
        return [Markup(.fieldset, [Markup(.legend, words(title)), paragraph(explanation)] + boxes)]
    }

    /// The checkboxes of a page that confirms an address.
    func checkboxes(disowning methods: [ListedMethod]) -> [Markup] {
        checkboxes(for: methods, .action(.disowning), .action(.disowningExplanation))
    }

    /// The ways to sign in to the account of a page; empty if the account has none.
    func detail(of methods: [SignInMethodName]) -> [(name: Text, value: [Markup])] {
        guard !methods.isEmpty else { return [] }
        let labels = methods.map { words($0.label) }
        return [(.page(.waysToSignIn), Array(labels.joined(separator: words(.page(.listSeparator)))))]
    }

    private func checkbox(_ listed: ListedMethod, number: Int) -> Markup {
        let details = Markup(
            .div, [.id(.removalDetails(number)), .classes(.note)], additionDetails(of: listed).map { Markup(.div, $0) })
        return Markup(
            .div, [.classes(.choice)],
            [
                .void(
                    .input,
                    [
                        .id(.removal(number)), .name(listed.field), .type("checkbox"), .value("true"),
                        .describedBy([.removalDetails(number)]),
                    ]),
                label(listed.method.label, for: .removal(number)), details,
            ])
    }

    private func additionDetails(of listed: ListedMethod) -> [[Markup]] {
        let values: [(PageText, [Markup]?)] = [
            (.name, listed.name.map { [.isolated($0)] }),
            (.added, listed.addedAt.map { [.time($0, in: language)] }),
            (.browserOrApp, listed.userAgent.map { words(DeviceDescription.text(userAgent: $0)) }),
        ]
        return values.compactMap { label, value in
            value.map { words(.page(label)) + words(.page(.colon)) + $0 }
        }
    }

    /// The name of a sign-in method, the time when it was added, and the device that added it.
    func details(of method: AddedSignInMethod, _ name: SignInMethodName, userAgent: String?) -> Markup {
        let device = userAgent.map { words(DeviceDescription.text(userAgent: $0)) }
        return details(
            [
                (.page(.wayToSignIn), words(name.label)),
                (.page(.added), [.time(method.addedAt, in: language)]),
            ] + (device.map { [(.page(.browserOrApp), $0)] } ?? []))
    }
}

extension SignInMethodName {
    /// The name on its own, for lists and headings.
    public var label: Text {
        switch self {
        case .named(let name): .page(.named, [.provider: .name(name)])
        case .password: .page(.password)
        case .emailLink: .page(.emailLink)
        case .oneTimePassword: .page(.authenticatorApp)
        case .passkey: .page(.passkey)
        case .phone: .page(.phoneNumber)
        case .other: .page(.otherService)
        }
    }
}
