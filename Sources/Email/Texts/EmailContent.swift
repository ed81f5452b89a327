internal import Identity

/// Which texts an email has, in order.
struct EmailContent {
    let subject: EmailText
    /// The paragraphs before the links.
    let paragraphs: [EmailText]
    /// The label of the main link; empty if the email has none.
    let links: [EmailText]
    /// The paragraphs after the links.
    let advice: [EmailText]

    private init(_ subject: EmailText, _ paragraphs: [EmailText], link: EmailText? = nil, _ advice: [EmailText]) {
        self.subject = subject
        self.paragraphs = paragraphs
        links = [link].compactMap(\.self)
        self.advice = advice
    }

    init(_ values: EmailTextValues) {
        let isPhone = values.method == .phone
        self =
            switch values.kind {
            case .verifyEmail:
                EmailContent(
                    .verifyEmailSubject, [.verifyEmail], link: .verifyEmailLink, [.expiryAfterRequest, .notRequested])
            case .resetPassword where values.invitation != nil:
                EmailContent(
                    .consoleInvitationSubject,
                    [values.invitation?.project == nil ? .consoleInvitationEverywhere : .consoleInvitation],
                    link: .consoleInvitationLink, [.consoleInvitationAdvice, .expiryAfterRequest, .notRequested])
            case .resetPassword:
                EmailContent(
                    .resetPasswordSubject,
                    [.resetPassword] + (values.resetRemovesMethods ? [.resetRemovesMethods] : []),
                    link: .resetPasswordLink, [.expiryAfterRequest, .notRequested])
            case .signIn:
                EmailContent(
                    .signInSubject, [.signIn], link: .signInLink, [.expiryAfterRequest, .signInWarning, .notRequested])
            case .signInCode:
                EmailContent(
                    .signInSubject, [.signInCode], link: .signInLink,
                    [.expiryAfterRequest, .codeWarning, .notRequested])
            case .signUpCode:
                EmailContent(
                    .verifyEmailSubject, [values.keepsGuest ? .keepGuestCode : .signUpCode], link: .verifyEmailLink,
                    [.expiryAfterRequest, .codeWarning, .notRequested])
            case .accountExists:
                EmailContent(
                    .accountExistsSubject, [.accountExists] + (values.methods.isEmpty ? [] : [.accountExistsMethods]),
                    [.accountExistsAdvice])
            case .changeEmail:
                EmailContent(
                    .changeEmailSubject, [.changeEmail], link: .changeEmailLink, [.expiryAfterRequest, .notRequested])
            case .passwordChanged: .passwordChanged(values)
            case .emailChanged where !values.hasLink:
                EmailContent(.emailChangedSubject, [.emailChangedUnconfirmed], [.ignoreOrContact])
            case .emailChanged:
                EmailContent(
                    .emailChangedSubject, [.emailChanged], link: .emailChangedLink,
                    [.expiryAfterChange, .emailChangedAdvice])
            case .relayAddressChanged:
                EmailContent(.emailChangedSubject, [.relayAddressChanged], [.relayAddressChangedAdvice])
            case .identityLinked where !values.hasLink:
                EmailContent(.identityLinkedSubject, [.identityLinkedUnconfirmed], [.unconfirmedAddress])
            case .identityLinked:
                EmailContent(
                    .identityLinkedSubject, [.identityLinked], link: values.method.removalKey,
                    [.removalExplanation, .expiryAfterChange])
            case .identityUnlinked: EmailContent(.identityUnlinkedSubject, [.identityUnlinked], [.ignoreOrReset])
            case .factorAdded where !values.hasLink:
                EmailContent(
                    .factorAddedSubject, [isPhone ? .phoneAddedUnconfirmed : .authenticatorAddedUnconfirmed],
                    [.unconfirmedAddress])
            case .factorAdded:
                EmailContent(
                    .factorAddedSubject, [isPhone ? .phoneAdded : .authenticatorAdded], link: values.method.removalKey,
                    [isPhone ? .phoneRemoval : .authenticatorRemoval, .expiryAfterChange])
            case .factorRemoved: EmailContent(.factorRemovedSubject, [.factorRemoved], [.ignoreOrReset])
            case .factorsReset: EmailContent(.factorsResetSubject, [.factorsReset], [.factorsResetAdvice])
            case .recoveryCodeUsed: EmailContent(.recoveryCodeUsedSubject, [.recoveryCodeUsed], [.ignoreOrReset])
            case .recoveryCodesRenewed:
                EmailContent(.recoveryCodesRenewedSubject, [.recoveryCodesRenewed], [.ignoreOrReset])
            case .manyWrongCodes: EmailContent(.manyWrongCodesSubject, [.manyWrongCodes], [.manyWrongCodesAdvice])
            case .accountReclaimed:
                EmailContent(.accountReclaimedSubject, [.accountReclaimed], [.accountReclaimedAdvice])
            case .accountReplaced:
                EmailContent(
                    .accountReplacedSubject, [.accountReplaced], [.accountReplacedYours, .accountReplacedNotYou])
            case .accountDeleted:
                EmailContent(
                    .accountDeletedSubject, [.accountDeleted],
                    (values.staysConnectedToApple ? [.stillConnected] : []) + [.ignoreOrContact])
            case .accountExported:
                EmailContent(.accountExportedSubject, [.accountExported], [.accountExportedAdvice])
            case .accountsMerged: .merged(values)
            case .supportAccess: EmailContent(.supportAccessSubject, [.supportAccess], [.supportAccessAdvice])
            case .administratorAdded:
                EmailContent(.administratorAddedSubject, [.administratorAdded], [.administratorAddedAdvice])
            case .ownerAdded: EmailContent(.ownerAddedSubject, [.ownerAdded], [.administratorAddedAdvice])
            }
    }

    private static func passwordChanged(_ values: EmailTextValues) -> EmailContent {
        let hasLinks = !values.removable.isEmpty
        return EmailContent(
            .passwordChangedSubject,
            [.passwordChanged] + (values.hasEarlierMailbox ? [.earlierMailbox] : [])
                + (values.methods.isEmpty ? [] : [.methodsRemoved]) + (hasLinks ? [.methodsStillWork] : []),
            hasLinks ? [.removalExplanation, .expiryAfterChange, .ignoreOrResetIfListed] : [.ignoreOrReset])
    }

    private static func merged(_ values: EmailTextValues) -> EmailContent {
        let paragraphs: [EmailText] = [.accountsMerged] + (values.methods.isEmpty ? [] : [.accountsMergedMethods])
        if values.hasLink {
            return EmailContent(
                .accountsMergedSubject, paragraphs + [.accountsMergedUndo], link: .accountsMergedLink,
                [.expiryAfterMerge, .accountsMergedAdvice])
        }
        guard !values.removable.isEmpty else {
            return EmailContent(.accountsMergedSubject, paragraphs, [.ignoreOrContact])
        }
        return EmailContent(
            .accountsMergedSubject, paragraphs + [.accountsMergedRemoval], [.removalExplanation, .expiryAfterMerge])
    }
}

extension SignInMethodName {
    /// Label of the link that removes the method.
    var removalKey: EmailText {
        switch self {
        case .named: .removeNamed
        case .password: .removePassword
        case .emailLink: .removeEmailLink
        case .phone: .removePhone
        case .passkey: .removePasskey
        case .oneTimePassword: .removeAuthenticator
        case .other: .removeOther
        }
    }
}
