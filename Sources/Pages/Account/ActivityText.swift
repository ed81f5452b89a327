internal import Identity

/// The texts of audit events, as the owner of the account reads them.
enum ActivityText: TextKey {
    case accountCreated, accountUpdated, accountDeleted, accountDisabled, accountEnabled, accountMerged, mergeUndone,
        accountReclaimed, methodMissing, supportAccess, accountExported
    case identityLinked, identityUnlinked, identityMoved, identityTransferred, identitySuspended, signalReceived
    case sessionOpened, sessionEnded, sessionsEnded, sessionCookieCreated, tokensRevoked
    case authenticatorAdded, authenticatorRemoved, phoneFactorAdded, phoneFactorRemoved
    case passkeyAdded, passkeyRemoved, passkeyCounterFailed, recoveryCodeUsed, recoveryCodesRenewed
    case passwordChanged, passwordRemoved
    case emailChanged, emailVerified, emailDisavowed, codeSent
    case phoneAdded, phoneRemoved, phoneTakenOver
    case appleConsentRevoked, appleAccountDeleted, appleEmailDisabled, appleEmailEnabled, ageConsentRescinded
    /// An action that only a later release of the gateway knows.
    case other
}

extension ActivityText {
    var english: StaticString {
        switch self {
        case .accountCreated: "Account created"
        case .accountUpdated: "Account changed"
        case .accountDeleted: "Account deleted"
        case .accountDisabled: "Account disabled"
        case .accountEnabled: "Account enabled"
        case .accountMerged: "Joined with another account"
        case .mergeUndone: "Separated from another account"
        case .accountReclaimed: "Account taken over by the owner of the email address"
        case .methodMissing: "The last way to sign in was removed"
        case .accountExported: "Data downloaded"
        case .supportAccess: "Support opened your account"
        case .identityLinked: "{provider} added"
        case .identityUnlinked: "{provider} removed"
        case .identityMoved: "{provider} moved to or from another account"
        case .identityTransferred: "{provider} moved with the app to another company"
        case .identitySuspended: "{provider} has disabled your account there"
        case .signalReceived: "{provider} reported a change of your account there"
        case .sessionOpened: "Signed in"
        case .sessionEnded: "Signed out on one device"
        case .sessionsEnded: "Signed out on all devices"
        case .sessionCookieCreated: "Signed in to the web app"
        case .tokensRevoked: "Disconnected from {provider}"
        case .authenticatorAdded: "Authenticator app added"
        case .authenticatorRemoved: "Authenticator app removed"
        case .phoneFactorAdded: "Phone number added for the second step"
        case .phoneFactorRemoved: "Phone number removed from the second step"
        case .passkeyAdded: "Passkey added"
        case .passkeyRemoved: "Passkey removed"
        case .passkeyCounterFailed: "A passkey was used that may have been copied"
        case .recoveryCodeUsed: "Signed in with a recovery code"
        case .recoveryCodesRenewed: "New recovery codes created"
        case .passwordChanged: "Password changed"
        case .passwordRemoved: "Password removed"
        case .emailChanged: "Email address changed"
        case .emailVerified: "Email address confirmed"
        case .emailDisavowed: "The owner of the email address said that the account is not theirs"
        case .codeSent: "Email with a link sent"
        case .phoneAdded: "Phone number added"
        case .phoneRemoved: "Phone number removed"
        case .phoneTakenOver: "The phone number now belongs to someone else, and was removed"
        case .appleConsentRevoked: "Disconnected from Apple"
        case .appleAccountDeleted: "Apple Account deleted"
        case .appleEmailDisabled: "Apple stopped forwarding email"
        case .appleEmailEnabled: "Apple forwards email again"
        case .ageConsentRescinded: "A parent withdrew the permission to use the app"
        case .other: "Account changed"
        }
    }
}

extension ActivityText {
    /// Returns the text of an audit event. The two switches have no `default`: a new kind of event or audited operation
    /// does not compile until it has a text.
    init(_ note: AuditNote) {
        if let kind = AccountEvent.Kind(rawValue: note.action) {
            self.init(kind, note.detail)
        } else if let action = AuditNote.AccountAction(rawValue: note.action) {
            switch action {
            case .tokensRevoked: self = .tokensRevoked
            case .codeIssued: self = .codeSent
            case .sessionCookieCreated: self = .sessionCookieCreated
            case .accountExported: self = .accountExported
            case .accountImpersonated: self = .supportAccess
            }
        } else {
            self = .other
        }
    }

    private init(_ kind: AccountEvent.Kind, _ detail: [String: String]) {
        let isPhone = detail["factor"] == Factor.Kind.phone.rawValue
        self =
            switch kind {
            case .accountCreated: .accountCreated
            case .accountUpdated: .accountUpdated
            case .accountDeleted: .accountDeleted
            case .accountDisabled: .accountDisabled
            case .accountEnabled: .accountEnabled
            case .accountMerged: .accountMerged
            case .accountMergeUndone: .mergeUndone
            case .accountReclaimed: .accountReclaimed
            case .accountSignInMethodMissing: .methodMissing
            case .identityLinked: .identityLinked
            case .identityUnlinked: .identityUnlinked
            case .identityMoved: .identityMoved
            case .identityTransferred: .identityTransferred
            case .identitySuspended: .identitySuspended
            case .signalReceived: .signalReceived
            case .sessionOpened: .sessionOpened
            case .sessionRevoked: detail["all"] == nil ? .sessionEnded : .sessionsEnded
            case .factorAdded: isPhone ? .phoneFactorAdded : .authenticatorAdded
            case .factorRemoved: isPhone ? .phoneFactorRemoved : .authenticatorRemoved
            case .passkeyAdded: .passkeyAdded
            case .passkeyRemoved: .passkeyRemoved
            case .passkeyCounterFailed: .passkeyCounterFailed
            case .recoveryCodeUsed: .recoveryCodeUsed
            case .recoveryCodesRenewed: .recoveryCodesRenewed
            case .passwordChanged: .passwordChanged
            case .passwordRemoved: .passwordRemoved
            case .emailChanged: .emailChanged
            case .emailVerified: .emailVerified
            case .emailDisavowed: .emailDisavowed
            case .phoneAdded: .phoneAdded
            case .phoneRemoved: .phoneRemoved
            case .phoneTakenOver: .phoneTakenOver
            case .appleConsentRevoked: .appleConsentRevoked
            case .appleAccountDeleted: .appleAccountDeleted
            case .appleEmailDisabled: .appleEmailDisabled
            case .appleEmailEnabled: .appleEmailEnabled
            case .ageConsentRescinded: .ageConsentRescinded
            }
    }
}
