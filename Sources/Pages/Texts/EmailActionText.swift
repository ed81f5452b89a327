/// The pages of emailed links.
enum EmailActionText: TextKey {
    /// Confirm a new address.
    case changeEmail, changeEmailIntroduction, newAddress, currentAddress, useNewAddress, changeEmailNote,
        emailChanged, emailChangedAdvice
    /// Failures: titles, each with the advice.
    case malformed, malformedAdvice, notFound, notFoundAdvice, invalidLink, invalidLinkAdvice, expiredLink,
        expiredLinkAdvice, addressTaken, addressTakenAdvice, accountDisabled, accountDisabledAdvice, notAllowed,
        notAllowedAdvice
    /// Request a password reset.
    case invalidAddress, forgotPassword, forgotPasswordIntroduction, sendEmail, resetRequested,
        resetRequestedExplanation, resetRequestedAdvice
    /// Checkboxes of the sign-in methods that the owner may remove.
    case disowning, disowningExplanation
    /// Another mailbox can take the account back.
    case newAccountRequired, newAccountOptional, newAccountOnChange, takeBackEnd, isAccountYours, newAccountInstead,
        notYourAccount,
        makeNewAccount
    /// Restore a replaced address.
    case recoverEmail, recoverEmailIntroduction, replacementAddress, earlierAddress, recoverEmailConsequences,
        recoverEmailPassword, recoverEmailMethods, methodsBeforeChange, methodsBeforeChangeExplanation,
        restoreAddress, recoverEmailNote, emailRecovered
    /// Remove a second factor.
    case removePhone, removePhoneIntroduction, removePhoneConsequence, removeAuthenticator,
        removeAuthenticatorIntroduction, removeAuthenticatorConsequence, removeFactorMethods
    /// Remove a sign-in method.
    case removeMethod, removeMethodIntroduction, removeMethodMethods
    /// Every removal.
    case removalNote, removalConsequences, removalPassword, removalAddress, remove, removed, methodRemoved,
        methodRemovedAddressTaken
    /// Set a password.
    case resetPassword, newPassword, otherMethods, otherMethodsExplanation, savePassword,
        resetPasswordNote, resetRemovesMethods, resetRemoves, resetRemoved, passwordReset, passwordResetAdvice
    /// What a link has done before the user sets a password.
    case recoveredThenPassword, removedThenPassword, confirmedThenPassword, createdThenPassword, undoneThenPassword
    /// Requirements for passwords.
    case minimumLength, maximumLength, lowercase, uppercase, digit, symbol, notBreached
    /// A sign-in link in a browser.
    case signIn, signInIntroduction, continueInApp, signInWithoutLink, signInNote
    /// Undo a merge.
    case undoMerge, undoMergeIntroduction, undoMergeConsequences, undoMergeOwnAccount, undoMergeOtherAccount,
        undoMergeButton, undoMergeNote, setsPasswordNext, mergeUndone, mergeUndoneAddressTaken
    /// Confirm an address.
    case verifyEmail, verifyEmailIntroduction, accountCreated, confirmAddress, notYou, notYouExplanation, notMe,
        emailVerified, emailVerifiedAdvice, disavowed, disavowedExplanation
}
