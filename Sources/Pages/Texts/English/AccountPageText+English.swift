// One text per line, however long it is.
// swift-format-ignore-file

extension AccountPageText {
    var english: StaticString {
        switch self {
        case .account: "Your account"
        case .overview: "Overview"
        case .memberSince: "Created"
        case .notConfirmed: "not confirmed"
        case .name: "Name"
        case .noName: "No name"
        case .noEmail: "No email address"
        case .signOut: "Sign out"

        case .waysToSignIn: "Ways to sign in"
        case .waysToSignInHint: "Add or remove a password, a passkey or a service such as Apple"
        case .secondFactors: "Second step when you sign in"
        case .secondFactorsHint: "A code that is asked for after the first step"
        case .devices: "Devices"
        case .devicesHint: "Where you are signed in"
        case .activity: "Activity"
        case .activityHint: "What happened to your account in the last 90 days"
        case .data: "Your data"
        case .dataHint: "Download a copy of what is stored about you"
        case .deleteAccount: "Delete account"
        case .deleteAccountHint: "Delete your account and your data"
        case .emailAddress: "Email address"
        case .emailAddressHint: "Change or confirm your address"
        case .password: "Password"
        case .passwordHint: "Set or change your password"
        case .profile: "Name"
        case .profileHint: "How {app} calls you"
        case .preferences: "Language and time zone"
        case .preferencesHint: "For emails, and for the times on these pages"

        case .added: "Added"
        case .addedFrom: "Added from"
        case .lastUsed: "Last used"
        case .hiddenAddress: "hidden address"
        case .notUsedYet: "Not used yet"
        case .onlyWay: "This is your only way to sign in. Add another one before you remove it."
        case .notAccepted: "You cannot sign in this way at present."
        case .remove: "Remove"
        case .removeNamed: "Remove {method}"
        case .addService: "Add a service, such as Apple or Google"
        case .addPassword: "Set a password"
        case .changePassword: "Change the password"
        case .addAuthenticator: "Add an authenticator app"
        case .addPasskey: "Add a passkey"
        case .passkeyHow: "With a passkey you sign in with your fingerprint, your face or the screen lock of your device."
        case .createPasskey: "Create a passkey"
        case .passkeyNotAdded: "No passkey was added. You can try again."
        case .passkeysUnsupported: "This browser does not support passkeys."
        case .rename: "Rename"
        case .renameNamed: "Rename {name}"
        case .renameTitle: "Name of the passkey"
        case .passkeyNameInvalid: "Enter a name with at most 100 characters."
        case .recoveryCodes: "Recovery codes"
        case .recoveryCodesLeft: "{count, plural, one {# code is left} other {# codes are left}}"
        case .newRecoveryCodes: "Get new recovery codes"
        case .suspended: "The service has disabled your account there, so you cannot sign in with it."

        case .removeTitle: "Remove {method}?"
        case .removeConsequence:
            """
            You can no longer sign in to {app} with it. Devices where you signed in with it are signed out.
            """
        case .removeAddressConsequence: "If your email address came from it, your account loses this address."
        case .removeFactorConsequence: "You are no longer asked for its code when you sign in."
        case .keepIt: "Keep it"
        case .lastWayTitle: "This is your only way to sign in"
        case .lastWayAdvice:
            """
            Without it, you could not sign in again. Nothing was changed. Add another way to sign in first.
            """

        case .changeEmail: "Change the email address"
        case .newEmail: "New email address"
        case .changeEmailHow: "We send a link to the new address. It opens a page with a button that changes your address, and signs you out on every device."
        case .sendLink: "Send the link"
        case .confirmEmail: "Confirm {email}"
        case .emailInvalid: "Enter an email address, such as name@example.com."

        case .setPassword: "Set a password"
        case .newPassword: "New password"
        case .passwordRules: "Requirements"
        case .passwordSignsOut: "When you save the password, you are signed out on all other devices."
        case .savePassword: "Save the password"

        case .displayName: "Name"
        case .nameHint: "Leave it empty to remove your name."
        case .saveProfile: "Save"
        case .nameTooLong: "This name is too long."
        case .nameHasControls: "Names cannot contain line breaks or other control characters."
        case .anyLanguage: "The language of the app or browser"
        case .timeZone: "Time zone"
        case .timeZoneHint: "A city of your time zone, such as Europe/London. Without one, times are in UTC."
        case .languageUnknown: "Choose a language from the list."
        case .timeZoneUnknown: "There is no time zone of this name."
        case .addPhone: "Add a telephone number"
        case .phoneNumber: "Telephone number"
        case .phoneHint: "With the country code, such as +44 7700 900123. You get a code by text message."
        case .sendCode: "Send a code"
        case .phoneInvalid: "This is not a telephone number with a country code."
        case .phoneTaken: "Another account has this telephone number."
        case .phoneUnreachable: "No code can be sent to this number."
        case .phoneCodeSent: "We sent a code by text message. It is valid for 10 minutes."
        case .phoneCode: "Code from the text message"
        case .phoneCodeRejected: "This code is wrong or too old."

        case .thisDevice: "This browser"
        case .deviceApp: "App"
        case .signedInWith: "Signed in with"
        case .signedInAt: "Signed in"
        case .endSession: "Sign out"
        case .endSessionNamed: "Sign out {device}"
        case .endOthers: "Sign out all other devices"
        case .endOthersHint: "You stay signed in on this device."
        case .moreDevices: "More devices"
        case .notYou: "This was not me"

        case .activityPeriod: "The last 90 days"
        case .byOperator: "by the people who run {app}"
        case .byGateway: "automatically"
        case .repeated: "{count, plural, one {# more time} other {# more times}}"
        case .noActivity: "Nothing has changed in the last 90 days."
        case .moreActivity: "Older"

        case .secureTitle: "Secure your account"
        case .secureWithPassword:
            """
            Set a new password. All other devices are signed out, and the old password stops working.
            """
        case .secureWithoutPassword: "All other devices are signed out."
        case .secureButton: "Secure the account"
        case .secureMethods: "Then remove every way to sign in that you do not know."

        case .authenticatorTitle: "Add an authenticator app"
        case .authenticatorSteps:
            """
            Scan the QR code with your authenticator app. On this device, open the app with the button, or enter the key.
            """
        case .authenticatorImage: "QR code for the authenticator app"
        case .authenticatorOpen: "Open the authenticator app"
        case .authenticatorKey: "Key"
        case .authenticatorCode: "Code from the app"
        case .codeHint: "Six digits"
        case .codeRejected: "This code is wrong or too old. Enter the code that the app shows now."
        case .turnOn: "Turn on"
        case .recoveryTitle: "Your new recovery codes"
        case .recoveryAdvice:
            """
            Print or write down these codes, and keep them in a safe place. Each code works once if you lose your \
            authenticator app. They are shown only now.
            """
        case .recoveryDone: "I have saved the codes"
        case .recoveryReplace: "You get ten new codes. The codes that you have now stop working."

        case .dataContents:
            """
            The file contains your profile, your ways to sign in, your devices, and the activity of the last 90 \
            days. It contains no passwords.
            """
        case .dataEmail: "You get an email each time the data is downloaded."
        case .dataLimit: "You can download the file three times per day."
        case .download: "Download"

        case .deleteContents: "What is deleted:"
        case .deleteAccountOf: "Your account for {app}, with your name and your email address"
        case .deleteIdentities: "All ways to sign in to it"
        case .deleteSessions: "You are signed out on every device"
        case .deleteApple: "If you use Sign in with Apple, {app} is disconnected from your Apple Account"
        case .deleteBackups: "This cannot be undone."
        case .deleteTick: "I want to delete my account"
        case .deleteTickMissing: "Tick the box to delete your account."
        case .deleteButton: "Delete the account"
        case .deleteSignIn: "Sign in to delete your account"
        case .deletedTitle: "Your account is deleted"
        case .deleted: "Your account for {app} and your data were deleted. You were signed out on every device."
        case .deletedAppleQueued: "{app} is being disconnected from your Apple Account."
        case .deletedAppleByHand: "{app} is still connected to your Apple Account. To disconnect it:"
        case .deletedAppleSteps:
            """
            Open Settings on your iPhone, tap your name, then Sign in with Apple, then {app}, then Stop Using Apple \
            Account.
            """
        case .deletionNotAllowed:
            """
            {app} does not allow you to delete your account here. Contact the people who run {app}.
            """

        case .doneRemoved: "The way to sign in was removed."
        case .doneProfile: "Your name was saved."
        case .donePreferences: "Your language and time zone were saved."
        case .donePassword: "Your password was saved. All other devices were signed out."
        case .doneSession: "The device was signed out."
        case .doneOthers: "All other devices were signed out."
        case .doneFactor: "Your second step was changed."
        case .donePhone: "Your telephone number was added."
        case .doneLinked: "The way to sign in was added."
        case .doneSecured: "Your account is secured. All other devices were signed out."
        case .doneLinkSent: "We sent a link to the new address. Your address changes when you open it."
        case .donePasskey: "Your passkey was added."
        case .doneRenamed: "The passkey was renamed."
        case .doneVerification: "We sent you an email with a link. Open it to confirm your address."

        case .failureTitle: "This did not work"
        case .nothingChanged: "Nothing was changed."
        case .formExpired: "The page was open for too long, or was opened in another browser. Nothing was changed."
        case .tryAgain: "Try again"
        case .tooManyTitle: "Too many attempts"
        case .waitMinutes:
            """
            {minutes, plural, one {Wait one minute, then try again.} other {Wait # minutes, then try again.}}
            """
        case .methodGone: "Your account no longer has this way to sign in. Nothing was changed."
        case .serviceTaken: "Another account already uses this service. Nothing was changed."
        case .otherUser: "You signed in to another account. Nothing was changed."
        case .linkTaken: "Another account already uses this address. Nothing was changed."
        case .notAvailable: "{app} does not allow this. Nothing was changed."

        case .justNow: "just now"
        case .minutesAgo: "{minutes, plural, one {# minute ago} other {# minutes ago}}"
        case .hoursAgo: "{hours, plural, one {# hour ago} other {# hours ago}}"
        }
    }
}
