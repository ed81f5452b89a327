internal import HTML
internal import Identity

/// A text of the sign-in page and of the pages with a session.
enum SignInPageText: TextKey {
    case signOut, signOutTitle, signOutNamed, signOutKeepsApps, signedOutTitle, signedOutAdvice
    case foreignFormTitle, foreignFormAdvice
    case signInTitle, signUpTitle, continueTitle, continueAs, otherAccount, signedInTitle, signedInReturning
    case signedInReturn, backToApp, signInWithApple, signInWithGoogle, continueWith, or, signIn, stay
    case forgotPassword, emailMe, guest, createAccount, haveAccount, cancel, cancelledTitle, noMethod
    case expiredAdvice, otherBrowserTitle, otherBrowserAdvice
    case badRequestAdvice, unavailableTitle, unavailableAdvice
    case wrongCredentials, emailTaken, invalidEmail, missingPassword, accountDisabled, wrongCode
    case codeExpired, userMismatch, notAvailable, providerUnavailable, cancelled, tooManyAttempts, rejected, vetoed
    case secondFactorTitle, smsSent, totpAdvice, totpOther, sendSMS, recoveryCode, confirm, tryAnotherWay, code
    case conflictTitle, conflictKnown, conflictHidden, conflictHiddenLink, knownMethod, notNow
    case passkeySignIn, passkeyFailed, passkeyUnknown, passkeyOfferTitle, passkeyOfferAdvice, createPasskey
    case passkeyNotCreated, passkeyUnsupported
    case rememberAccount, rememberService, willRemember, dontRemember, rememberedAccounts, signInAs, forgetAccount
    case subject
    case resetTitle, resetAdvice, sendEmail, backToSignIn, resetSentTitle, resetSentAdvice
    case emailCodeTitle, emailCodeAdvice, emailCodeSent, codeFromEmail, emailAgain, otherAddress, linkOpened
    case linkElsewhereTitle, linkElsewhereAdvice, emailExpired, onlyLink
    case guestAdvice, guestConflict, upgradeTitle, upgradeProvider, upgradeEmail, upgradeKeeps
    case mergeExplanation, mergeMovesName, mergeMovesPhoto, mergeLosesName, mergeLosesPhoto, mergeLosesRights
    case mergeData, mergeUndo, mergeConfirm, mergeRefused, previewOutdated
    case proveTitle, proveAdvice, formLost, linkTitle
    case enrolTitle, enrolAdvice, enrolEnds, enrolPasskey, enrolEmail, enrolEmailSent, enrolUnverified, factorMissing

    var english: StaticString {
        switch self {
        case .signOut: "Sign out"
        case .signOutTitle: "Sign out of {app}?"
        case .signOutNamed: "You are signed in as {name} in this browser."
        case .signOutKeepsApps: "Apps in which you are signed in are not affected."
        case .signedOutTitle: "You are signed out"
        case .signedOutAdvice: "This browser is no longer signed in. You can close this page."
        case .foreignFormTitle: "We could not accept this form"
        case .foreignFormAdvice: "Nothing was changed. Open the page again, and submit the form there."
        case .signInTitle: "Sign in"
        case .signUpTitle: "Create an account"
        case .continueTitle: "Continue to {app}"
        case .continueAs: "Continue as {name}"
        case .otherAccount: "Use another account"
        case .signedInTitle: "You are signed in"
        case .signedInReturning: "You will be taken back to {app}."
        case .signedInReturn: "Go back to {app} to continue."
        case .backToApp: "Back to {app}"
        case .signInWithApple: "Sign in with Apple"
        case .signInWithGoogle: "Sign in with Google"
        case .continueWith: "Continue with {provider}"
        case .or: "or"
        case .signIn: "Sign in"
        case .stay: "Stay signed in on this device"
        case .forgotPassword: "Forgot your password?"
        case .emailMe: "Email me a link or code"
        case .guest: "Continue as guest"
        case .createAccount: "Create an account"
        case .haveAccount: "I already have an account"
        case .cancel: "Cancel"
        case .noMethod: "There is no way to sign in here at the moment. Go back to {app}, or try again later."
        case .cancelledTitle: "The sign-in was cancelled"
        case .expiredAdvice: "Nothing was changed. Go back to the app, and sign in again."
        case .otherBrowserTitle: "We cannot continue this sign-in"
        case .otherBrowserAdvice:
            "This browser did not start the sign-in, or it does not store cookies. Go back to the app, and sign in again."
        case .badRequestAdvice:
            "Go back to the app, and sign in again. If you see this page again, contact the operator of the app."
        case .unavailableTitle: "Sign-in is not available"
        case .unavailableAdvice: "Nothing was changed. Wait a moment, then try again."
        case .wrongCredentials: "The email address or the password is not correct."
        case .emailTaken: "An account with this email address exists already. Sign in instead."
        case .invalidEmail: "Enter a valid email address."
        case .missingPassword: "Enter a password."
        case .accountDisabled: "This account is disabled. Contact the operator of {app}."
        case .wrongCode: "This code is not correct. Check it, and try again."
        case .codeExpired: "This step has expired. Sign in again."
        case .userMismatch: "This is another account. Sign in with the account that you use in {app}."
        case .notAvailable: "This way to sign in is not available here."
        case .providerUnavailable: "The sign-in service does not respond. Try again, or sign in another way."
        case .cancelled: "You cancelled the sign-in. You can try again, or sign in another way."
        case .tooManyAttempts:
            """
            {minutes, plural, one {Too many attempts. Wait # minute, or sign in another way.} \
            other {Too many attempts. Wait # minutes, or sign in another way.}}
            """
        case .rejected: "We could not sign you in. Try again, or sign in another way."
        case .vetoed: "You cannot sign in to {app}: {message}"
        case .secondFactorTitle: "Enter your code"
        case .smsSent: "We sent you a text message with a code."
        case .totpAdvice: "Enter the code from your authenticator app."
        case .totpOther: "Code from another authenticator app {name}"
        case .sendSMS: "Send a text message to {name}"
        case .recoveryCode: "Recovery code"
        case .confirm: "Continue"
        case .tryAnotherWay: "Try another way"
        case .code: "Code"
        case .conflictTitle: "You already have an account"
        case .conflictKnown: "To use {provider} with your account, sign in to it once in a way that you used before."
        case .conflictHidden:
            "We cannot sign you in with this {provider} account alone. If you already have an account, sign in another way."
        case .conflictHiddenLink: "If possible, {provider} is then added to your account."
        case .knownMethod: "You have used this before"
        case .notNow: "Not now"
        case .passkeySignIn: "Sign in with a passkey"
        case .passkeyFailed: "No passkey was used. Try again, or sign in another way."
        case .passkeyUnknown: "No account has this passkey. Sign in another way."
        case .passkeyOfferTitle: "Sign in without a password next time?"
        case .passkeyOfferAdvice:
            "With a passkey you sign in with your fingerprint, your face or the screen lock of your device."
        case .createPasskey: "Create a passkey"
        case .passkeyNotCreated: "No passkey was created. You can try again."
        case .passkeyUnsupported: "This browser does not support passkeys."
        case .rememberAccount: "Remember my account on this device"
        case .rememberService: "Remember my account when I use one of these services"
        case .willRemember: "Your account will be remembered on this device."
        case .dontRemember: "Do not remember my account"
        case .rememberedAccounts: "Accounts on this device"
        case .signInAs: "Sign in as {name}"
        case .forgetAccount: "Remove {name} from this device"
        case .subject: "Account: {name}"
        case .emailCodeTitle: "Sign in by email"
        case .emailCodeAdvice: "Enter your email address. We will email you a link and a code."
        case .emailCodeSent:
            """
            We sent an email to {email}. Open its link in this browser, or enter its code here, within \
            {minutes, plural, one {# minute} other {# minutes}}.
            """
        case .codeFromEmail: "Code from the email"
        case .emailAgain: "Send a new email"
        case .otherAddress: "Use another address"
        case .linkOpened: "You opened the link that we sent to {email}."
        case .linkElsewhereTitle: "Enter the code on the first device"
        case .linkElsewhereAdvice:
            """
            This is not the browser in which the sign-in was started. Go back to that browser, and enter the \
            code from the email there. If you did not start a sign-in, close this page, and do not give the code \
            to anyone.
            """
        case .emailExpired: "This email is no longer valid, or a wrong code was entered too often. Send a new email."
        case .onlyLink: "Too many wrong codes were entered for this address. Open the link in the email instead."
        case .guestAdvice:
            """
            You use {app} as a guest. Sign in to keep this account, or to continue with an account that you already \
            have.
            """
        case .upgradeTitle: "Keep your guest account"
        case .upgradeProvider: "From now on, you sign in to this account with {provider}."
        case .upgradeEmail: "From now on, you sign in to this account with the address {email}."
        case .upgradeKeeps: "Your account stays the same, with everything that you saved as a guest."
        case .mergeExplanation:
            """
            If you continue, your guest account becomes part of this account. The guest account is deleted, and you \
            are signed in to this account.
            """
        case .mergeMovesName: "The name {name} is kept."
        case .mergeMovesPhoto: "The picture of your guest account is kept."
        case .mergeLosesName: "The name {name} of your guest account is not kept."
        case .mergeLosesPhoto: "The picture of your guest account is not kept."
        case .mergeLosesRights: "Special permissions of your guest account end."
        case .mergeData: "What you saved as a guest is in {app}, which decides whether it is kept."
        case .mergeUndo: "For a week, the operator of {app} can undo this."
        case .mergeConfirm: "Continue with this account"
        case .mergeRefused: "Your guest account cannot become part of this account. Nothing was changed."
        case .previewOutdated: "This page was out of date. Check what happens now, then continue."
        case .proveTitle: "Confirm that it is you"
        case .proveAdvice: "Sign in again with the same account, so that nobody else can change it."
        case .formLost: "What you entered in the form was not saved. Enter it again afterwards."
        case .linkTitle: "Add a way to sign in"
        case .enrolTitle: "Add a second step"
        case .enrolAdvice:
            """
            {app} asks for a second step at each sign-in. You have {minutes, plural, one {# minute} \
            other {# minutes}} to complete this page. After that, you have to sign in again.
            """
        case .enrolEnds: "Continue within {minutes, plural, one {# minute} other {# minutes}}."
        case .enrolPasskey: "Your account has a passkey. Sign in with it to continue."
        case .enrolEmail:
            "Before you can add an authenticator app, confirm your address {email}. We send you an email with a link."
        case .enrolEmailSent:
            "We sent an email to {email}. Open its link, confirm the address there, then continue here."
        case .enrolUnverified:
            "The address is not confirmed yet. Open the link in the email, and confirm the address there."
        case .factorMissing:
            "Your account needs a second step, which this page cannot add. Sign in to {app}, and add it there."
        case .guestConflict:
            "Another account has the address of your {provider} account. Sign in to that account to continue."
        case .resetTitle: "Reset your password"
        case .resetAdvice: "Enter the email address of your account. We will email you a link to set a new password."
        case .sendEmail: "Send the email"
        case .backToSignIn: "Back to sign-in"
        case .resetSentTitle: "Check your email"
        case .resetSentAdvice:
            "If an account has the address {email}, we will email you a link to set a new password. Then sign in here."
        }
    }
}

extension SignInPageText {
    var custom: CustomText? {
        switch self {
        case .signInTitle: .signInTitle
        case .signUpTitle: .signUpTitle
        case .resetTitle: .resetTitle
        case .resetAdvice: .resetAdvice
        case .noMethod: .noMethod
        case .accountDisabled: .accountDisabled
        default: nil
        }
    }
}

extension Page.Context {
    /// A text of the sign-in page for a label, a title or an attribute.
    func text(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> String { string(Text(key, values)) }

    /// A paragraph of the sign-in page.
    func paragraph(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> Markup {
        paragraph(Text(key, values))
    }

    /// A text for the components of pages.
    func localized(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
}
