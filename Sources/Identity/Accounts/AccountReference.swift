public import Encoding

/// An identifier of an account.
public enum AccountReference: Hashable, Sendable {
    case id(ID<Account>)
    case email(EmailAddress)
    case phoneNumber(PhoneNumber)
    /// `password` and `phone` count as providers whose subject is the email address or the phone number.
    case identity(provider: ProviderID, subject: ByteText)

    /// Whether the reference identifies `account`.
    func identifies(_ account: Account) -> Bool {
        switch self {
        case .id(let id): account.id == id
        case .email(let email): account.email == email
        case .phoneNumber(let number): account.phoneNumber == number
        case .identity(.password, let subject): account.hasPassword && account.email == EmailAddress(subject.rawValue)
        case .identity(.phone, let subject): account.phoneNumber?.rawValue.isExactly(subject.rawValue) == true
        case .identity(let provider, let subject): account.identity(provider, subject: subject.rawValue) != nil
        }
    }
}

extension Account {
    /// The identifiers, apart from the ID, that no other account in the realm may have.
    public var uniqueIdentifiers: [(member: UniqueMember, reference: AccountReference)] {
        let email = email.map { (UniqueMember.email, AccountReference.email($0)) }
        let number = phoneNumber.map { (UniqueMember.phoneNumber, AccountReference.phoneNumber($0)) }
        let identities = identities.map {
            (UniqueMember.identity, AccountReference.identity(provider: $0.provider, subject: ByteText($0.subject)))
        }
        return [email, number].compactMap(\.self) + identities
    }
}

extension ID where Subject == Account {
    /// Whether `text` is a valid account ID: 1 to 128 UTF-16 code units, as Firebase counts, without NUL, which
    /// PostgreSQL cannot store.
    public static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf16.count) && !text.utf8.contains(0)
    }

    /// An ID that an administrator, an import or a custom token chose.
    ///
    /// - Returns: `nil` unless the text is valid.
    public init?(chosen text: String) {
        guard Self.isValid(text) else { return nil }
        self.init(text)
    }
}
