internal import Identity
internal import Pages

/// The texts of emails. The names of subjects end with `Subject`, those of links with `Link`.
enum EmailText: TextKey {
    /// Requested emails.
    case verifyEmailSubject, verifyEmail, verifyEmailLink, resetPasswordSubject, resetPassword, resetRemovesMethods,
        resetPasswordLink, signInSubject, signIn, signInLink, signInWarning, changeEmailSubject, changeEmail,
        changeEmailLink, signInCode, signUpCode, keepGuestCode, codeWarning, accountExistsSubject, accountExists,
        accountExistsMethods, accountExistsAdvice
    /// Notices about the password and the address.
    case passwordChangedSubject, passwordChanged, earlierMailbox, methodsRemoved, methodsStillWork,
        ignoreOrResetIfListed,
        emailChangedSubject, emailChanged, emailChangedUnconfirmed, emailChangedLink, emailChangedAdvice,
        relayAddressChanged, relayAddressChangedAdvice
    /// Notices about sign-in methods and second factors.
    case identityLinkedSubject, identityLinked, identityLinkedUnconfirmed, identityUnlinkedSubject, identityUnlinked,
        factorAddedSubject, authenticatorAdded, authenticatorAddedUnconfirmed, authenticatorRemoval, phoneAdded,
        phoneAddedUnconfirmed, phoneRemoval, factorRemovedSubject, factorRemoved, factorsResetSubject, factorsReset,
        factorsResetAdvice, recoveryCodeUsedSubject, recoveryCodeUsed, recoveryCodesRenewedSubject,
        recoveryCodesRenewed, manyWrongCodesSubject, manyWrongCodes, manyWrongCodesAdvice
    /// Notices about the account.
    case accountReclaimedSubject, accountReclaimed, accountReclaimedAdvice, accountReplacedSubject, accountReplaced,
        accountReplacedYours, accountReplacedNotYou, accountDeletedSubject, accountDeleted, stillConnected,
        accountExportedSubject, accountExported, accountExportedAdvice, accountsMergedSubject, accountsMerged,
        accountsMergedMethods, accountsMergedUndo, accountsMergedRemoval, accountsMergedLink, accountsMergedAdvice
    /// The notice about support access.
    case supportAccessSubject, supportAccess, supportAccessAdvice
    /// The email in which a person who was invited to the console sets a password.
    case consoleInvitationSubject, consoleInvitation, consoleInvitationEverywhere, consoleInvitationLink,
        consoleInvitationAdvice
    /// Notices to the owners of the console.
    case administratorAddedSubject, administratorAdded, ownerAddedSubject, ownerAdded, administratorAddedAdvice
    /// Advice that several emails have.
    case notRequested, ignoreOrReset, ignoreOrContact, unconfirmedAddress, removalExplanation
    /// The sentence before the URL of a link.
    case buttonFallback
    /// How long links work. A number with its unit is a value of `{duration}`.
    case expiryAfterRequest, expiryAfterChange, expiryAfterMerge, minutes, hours, days
    /// Labels of links that remove a sign-in method.
    case removeNamed, removePassword, removeEmailLink, removePhone, removePasskey, removeAuthenticator, removeOther
}

extension EmailText {
    var custom: CustomText? {
        switch self {
        case .verifyEmail: .verifyEmail
        case .verifyEmailLink: .verifyEmailButton
        case .resetPassword: .resetPassword
        case .resetPasswordLink: .resetPasswordButton
        case .signIn: .signInEmail
        case .signInLink: .signInEmailButton
        case .changeEmail: .changeEmail
        case .changeEmailLink: .changeEmailButton
        default: nil
        }
    }
}
