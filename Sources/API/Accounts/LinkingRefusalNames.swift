internal import Identity

/// The public names of what keeps identities and accounts where they are.
extension WireError {
    init(_ refusal: IdentityRefusal) {
        self =
            switch refusal {
            case .accountUnknown: .refused("USER_NOT_FOUND")
            case .identityTaken: .init(LinkRefusal.identityTaken)
            case .providerAlreadyLinked: .init(LinkRefusal.providerAlreadyLinked)
            case .notLinked: .refused("IDENTITY_NOT_FOUND : The account has no identity of this provider.")
            case .lastSignInMethod: .init(EditRefusal.lastSignInMethod)
            }
    }

    init(_ refusal: UndoRefusal) {
        self =
            switch refusal {
            case .unknown: .refused("MERGE_NOT_FOUND : No merge of this account can be undone.")
            case .tooLate: .undoingRefused("The time in which it could be undone is over.")
            case .credentialsChanged: .undoingRefused("The sessions of the account that stayed have been ended since.")
            case .movedOn(let member): .undoingRefused("The \(member.phrase) that had moved is not there any more.")
            case .taken(let member): .init(AdministrationRefusal.taken(member))
            case .lastSignInMethod: .init(EditRefusal.lastSignInMethod)
            }
    }

    private static func undoingRefused(_ why: String) -> WireError { .refused("MERGE_NOT_UNDOABLE : \(why)") }
}

extension UniqueMember {
    fileprivate var phrase: String {
        switch self {
        case .id: "id"
        case .email: "address, as it was,"
        case .phoneNumber: "phone number"
        case .identity: "identity"
        }
    }
}
