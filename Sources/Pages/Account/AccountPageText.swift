/// The texts of the account page, except those of ``ActivityText``.
enum AccountPageText: TextKey {
    // The overview.
    case account, overview, memberSince, notConfirmed, name, noName, noEmail, signOut

    // The parts of the page.
    case waysToSignIn, waysToSignInHint, secondFactors, secondFactorsHint, devices, devicesHint, activity, activityHint,
        data, dataHint, deleteAccount, deleteAccountHint, emailAddress, emailAddressHint, password, passwordHint,
        profile, profileHint, preferences, preferencesHint

    // Ways to sign in.
    case added, addedFrom, lastUsed, hiddenAddress, notUsedYet, onlyWay, notAccepted, remove, removeNamed, addService,
        addPassword, changePassword, addAuthenticator, recoveryCodes, recoveryCodesLeft, newRecoveryCodes, suspended
    case addPasskey, passkeyHow, createPasskey, passkeyNotAdded, passkeysUnsupported, rename, renameNamed, renameTitle
    case passkeyNameInvalid

    // Removing one.
    case removeTitle, removeConsequence, removeAddressConsequence, removeFactorConsequence, keepIt, lastWayTitle,
        lastWayAdvice

    // Email address.
    case changeEmail, newEmail, changeEmailHow, sendLink, confirmEmail, emailInvalid

    // Password.
    case setPassword, newPassword, passwordRules, passwordSignsOut, savePassword

    // Name.
    case displayName, nameHint, saveProfile, nameTooLong, nameHasControls

    // Language and time zone.
    case anyLanguage, languageUnknown, timeZone, timeZoneHint, timeZoneUnknown

    // Telephone number.
    case addPhone, phoneNumber, phoneHint, sendCode, phoneInvalid, phoneTaken, phoneUnreachable, phoneCodeSent,
        phoneCode, phoneCodeRejected

    // Devices.
    case thisDevice, deviceApp, signedInWith, signedInAt, endSession, endSessionNamed, endOthers, endOthersHint,
        moreDevices, notYou

    // Activity.
    case activityPeriod, byOperator, byGateway, repeated, noActivity, moreActivity

    // This was not me.
    case secureTitle, secureWithPassword, secureWithoutPassword, secureButton, secureMethods

    // Second factors.
    case authenticatorTitle, authenticatorSteps, authenticatorImage, authenticatorOpen, authenticatorKey,
        authenticatorCode, codeHint, codeRejected, turnOn, recoveryTitle, recoveryAdvice, recoveryDone, recoveryReplace

    // Data.
    case dataContents, dataEmail, dataLimit, download

    // Deletion.
    case deleteContents, deleteAccountOf, deleteIdentities, deleteSessions, deleteApple, deleteBackups, deleteTick,
        deleteTickMissing, deleteButton, deleteSignIn, deletedTitle, deleted, deletedAppleQueued, deletedAppleByHand,
        deletedAppleSteps, deletionNotAllowed

    // Notices after a change.
    case doneRemoved, doneProfile, donePreferences, donePassword, doneSession, doneOthers, doneFactor, donePhone,
        doneLinked, doneSecured,
        doneVerification, doneLinkSent
    case donePasskey, doneRenamed

    // Failures.
    case failureTitle, nothingChanged, formExpired, tryAgain, tooManyTitle, waitMinutes, methodGone,
        linkTaken, notAvailable, serviceTaken,
        otherUser

    // Times.
    case justNow, minutesAgo, hoursAgo
}
