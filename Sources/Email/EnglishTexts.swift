internal import Identity

extension EmailTexts {
    static func english(_ values: EmailTextValues) -> EmailTexts {
        let (app, method) = (values.projectName, values.method.english)
        let source = values.method == .phone ? "that is sent to a phone number" : "from an authenticator app"
        let factor = values.method == .phone ? "the phone number" : "the authenticator app"
        switch values.kind {
        case .verifyEmail:
            return english(
                "Confirm your email address for \(app)",
                "This address was entered for an account for \(app). To confirm that the address is yours, open the link "
                    + "below.",
                linkLabel: "Confirm email address", [values.lifetime.englishSinceRequest, notRequested])
        case .resetPassword:
            return english(
                "Reset your password for \(app)",
                "We received a request to reset the password of your account for \(app). To set a new password, open the "
                    + "link below.",
                linkLabel: "Set a new password", [values.lifetime.englishSinceRequest, notRequested])
        case .signIn:
            return english(
                "Sign in to \(app)",
                "To sign in to \(app), open the link below on the device where you requested it.", linkLabel: "Sign in",
                [
                    values.lifetime.englishSinceRequest,
                    "Anyone who has this link can sign in as you. Do not share it.", notRequested,
                ])
        case .changeEmail:
            return english(
                "Confirm your new email address for \(app)",
                "We received a request to use this address for an account for \(app). To confirm that the address is "
                    + "yours, open the link below.",
                linkLabel: "Confirm new address", [values.lifetime.englishSinceRequest, notRequested])
        case .passwordChanged: return passwordChanged(values)
        case .emailChanged where !values.hasLink:
            return english(
                "Your email address for \(app) was changed",
                "The email address of your account for \(app) was changed and is no longer this address. Nobody had "
                    + "confirmed this address.",
                [ignoreOrContact(app)])
        case .emailChanged:
            return english(
                "Your email address for \(app) was changed",
                "The email address of your account for \(app) was changed and is no longer this address. \(noAction) "
                    + "If you did not, open the link below to restore this address.",
                linkLabel: "Restore this address",
                [values.lifetime.englishSinceChange, "After you restore the address, set a new password right away."])
        case .relayAddressChanged:
            return english(
                "Your email address for \(app) was changed",
                "Apple now gives \(app) another address to reach you. Emails about your account for \(app) go to that "
                    + "address from now on. You sign in with Apple as before.",
                [
                    "If you changed the address in the settings of your Apple Account, you do not need to do anything. If "
                        + "you did not, check who is signed in to your Apple Account."
                ])
        case .identityLinked where !values.hasLink:
            return english(
                "A way to sign in to \(app) was added",
                "Someone can now sign in with \(method) to the account for \(app) that has this email address. Nobody has "
                    + "confirmed this address.",
                [unconfirmedAddress])
        case .identityLinked:
            return english(
                "A way to sign in to \(app) was added",
                "You can now sign in to your account for \(app) with \(method). \(noAction) If you did not, open the "
                    + "link below.",
                linkLabel: values.method.englishRemovalLabel, [removalExplanation, values.lifetime.englishSinceChange])
        case .identityUnlinked:
            return english(
                "A way to sign in to \(app) was removed",
                "You can no longer sign in to your account for \(app) with \(method).", [ignoreOrReset])
        case .factorAdded where !values.hasLink:
            return english(
                "A second step for signing in to \(app) was added",
                "The account for \(app) that has this email address now asks for a code \(source) at each "
                    + "sign-in. Nobody has confirmed this address.",
                [unconfirmedAddress])
        case .factorAdded:
            return english(
                "A second step for signing in to \(app) was added",
                "Your account for \(app) now asks for a code \(source) at each sign-in. \(noAction) If you "
                    + "did not, open the link below.",
                linkLabel: values.method.englishRemovalLabel,
                [
                    "The link opens a page that asks you to confirm. If you confirm, we remove \(factor) and "
                        + "everything that was added after it, and sign you out on every device. Then you can set a new "
                        + "password.", values.lifetime.englishSinceChange,
                ])
        case .factorRemoved:
            return english(
                "A second step for signing in to \(app) was removed",
                "Your account for \(app) no longer asks for this second step at sign-in.",
                [ignoreOrReset])
        case .factorsReset:
            return english(
                "The second step for signing in to \(app) was reset",
                "The people who run \(app) have removed or replaced the authenticator app of your account, and removed "
                    + "your recovery codes.",
                ["If you did not ask for this, contact the people who run \(app)."])
        case .recoveryCodeUsed:
            return english(
                "A recovery code for \(app) was used",
                "Someone signed in to your account for \(app) with a recovery code instead of the authenticator app. The "
                    + "code no longer works.",
                [ignoreOrReset])
        case .recoveryCodesRenewed:
            return english(
                "New recovery codes for \(app)",
                "New recovery codes were created for your account for \(app). Earlier codes no longer work.",
                [ignoreOrReset])
        case .manyWrongCodes:
            return english(
                "Many wrong codes for your account for \(app)",
                "Someone knows your password or can use another way to sign in to your account for \(app), and has "
                    + "entered many wrong codes of your authenticator app. Nobody has signed in with a wrong code. From "
                    + "now on, only a few codes are accepted per day from places where you have not signed in lately.",
                ["If you did not enter these codes, set a new password."])
        case .accountExported:
            return english(
                "Your data from \(app) was exported",
                "A copy of the data of your account for \(app) was downloaded. \(noAction)",
                [
                    "If you did not, someone else can sign in to your account. Set a new password, and sign out on every "
                        + "device."
                ])
        case .accountReclaimed:
            return english(
                "Your account for \(app) was secured",
                "An account for \(app) had this email address, but nobody had confirmed that the address was theirs. Now "
                    + "someone has signed in and proved that the address is theirs. The account belongs to them. We "
                    + "removed the password and all other ways to sign in that the account had before.",
                [
                    "If you signed in, you do not need to do anything. If you did not, someone else may be able to read "
                        + "your email. First make sure that only you can open your mailbox."
                ])
        case .accountReplaced:
            return english(
                "You have a new account for \(app)",
                "You proved that this address is yours. The account for \(app) that had it belongs to someone who used "
                    + "another address before, and who can still take it back. So you got a new account with your address, "
                    + "and the other account no longer has it.",
                [
                    "If the other account is yours too, open the link in the email that we sent to its earlier address. "
                        + "The link gives you that account back.",
                    "If you did not prove your address, someone else may be able to read your email. First make sure that "
                        + "only you can open your mailbox.",
                ])
        case .accountDeleted:
            return english(
                "Your account for \(app) was deleted",
                "Your account for \(app) was deleted. You can no longer sign in to it.",
                (values.staysConnectedToApple ? [stillConnected(app)] : []) + [ignoreOrContact(app)])
        case .accountsMerged: return merged(values)
        }
    }

    private static func passwordChanged(_ values: EmailTextValues) -> EmailTexts {
        let app = values.projectName
        let change = "The password of your account for \(app) was changed, and other devices were signed out."
        let hasLinks = !values.removable.isEmpty
        return english(
            "Your password for \(app) was changed",
            [change] + (values.hasEarlierMailbox ? [earlierMailbox] : []) + (hasLinks ? [stillWork] : []),
            linkLabels: values.removable.map(\.englishRemovalLabel),
            hasLinks
                ? [removalExplanation, values.lifetime.englishSinceChange, ignoreOrResetIfMethodsAreListed]
                : [ignoreOrReset])
    }

    private static func merged(_ values: EmailTextValues) -> EmailTexts {
        let app = values.projectName
        let methods = values.methods.map(\.english).joined(separator: ", ")
        let hasRemovalLink = !values.removable.isEmpty
        let request: String? =
            values.hasLink
            ? "\(noAction) If you did not, open the link below to undo the merge."
            : hasRemovalLink
                ? "\(noAction) If you did not, open the link below to remove what came with the other account." : nil
        let advice: [String] =
            values.hasLink
            ? [
                values.lifetime.englishSinceMerge,
                "The link gives you your own account back, even if the merged account was changed after the merge. It "
                    + "stops working if the merged account is deleted.",
            ] : hasRemovalLink ? [removalExplanation, values.lifetime.englishSinceMerge] : [ignoreOrContact(app)]
        return english(
            "Two accounts for \(app) were merged",
            [
                "Your account for \(app) and another account for \(app) were merged into one.",
                methods.isEmpty ? nil : "Ways to sign in to the merged account: \(methods).", request,
            ].compactMap(\.self),
            linkLabels: values.hasLink ? ["Undo the merge"] : values.removable.map(\.englishRemovalLabel), advice)
    }

    private static let notRequested = "If you did not request this, ignore this email. Nothing will change."

    private static let noAction = "If you did this yourself, you do not need to do anything."

    private static let reset = "reset your password on the sign-in page right away. This signs out everyone else."

    private static let ignoreOrReset = "\(noAction) If you did not, \(reset)"

    private static let unconfirmedAddress =
        "\(noAction) If you did not, reset your password on the sign-in page. This confirms that the address is yours, and "
        + "removes all other ways to sign in."

    private static let ignoreOrResetIfMethodsAreListed =
        "If you changed the password and added all of these yourself, you do not need to do anything. If you did not "
        + "change the password, \(reset)"

    private static func stillConnected(_ app: String) -> String {
        "\(app) is still listed under Sign in with Apple. To remove it, open your Apple Account in the settings of your "
            + "device, choose Sign in with Apple, and stop using \(app)."
    }

    private static func ignoreOrContact(_ app: String) -> String {
        "\(noAction) If you did not, contact the people who run \(app)."
    }

    private static let earlierMailbox =
        "The account had another email address before, and the owner of that address can still take the account back. If "
        + "you do not know that address, reset your password again, and choose a new account on the page."

    private static let stillWork =
        "The ways to sign in below still work for your account. If you did not add one of them, open its link."

    private static let removalExplanation =
        "The link opens a page that asks you to confirm. If you confirm, we remove that way to sign in and all that were "
        + "added after it, and sign you out on every device. If the password was set after that way to sign in was added, "
        + "it stops working. The account goes back to this email address."

    private static func english(
        _ subject: String, _ paragraph: String, linkLabel: String? = nil, _ advice: [String]
    ) -> EmailTexts {
        english(subject, [paragraph], linkLabels: [linkLabel].compactMap(\.self), advice)
    }

    private static func english(
        _ subject: String, _ paragraphs: [String], linkLabels: [String], _ advice: [String]
    ) -> EmailTexts {
        EmailTexts(
            subject: subject, paragraphs: paragraphs, linkLabels: linkLabels, advice: advice,
            buttonFallback: "If the button does not work, open this address in a browser:")
    }
}

extension SignInMethodName {
    fileprivate var english: String {
        switch self {
        case .named(let name): name
        case .password: "a password"
        case .emailLink: "an email link"
        case .phone: "a phone number"
        case .passkey: "a passkey"
        case .oneTimePassword: "an authenticator app"
        case .other: "another service"
        }
    }

    /// Label of the link that removes the method.
    fileprivate var englishRemovalLabel: String {
        switch self {
        case .named(let name): "Remove sign-in with \(name)"
        case .password: "Remove the password"
        case .emailLink: "Remove sign-in with an email link"
        case .phone: "Remove the phone number"
        case .passkey: "Remove the passkey"
        case .oneTimePassword: "Remove the authenticator app"
        case .other: "Remove sign-in with another service"
        }
    }
}

extension HumanDuration {
    fileprivate var englishSinceRequest: String { "The link works once. It expires \(english) after the request." }
    fileprivate var englishSinceChange: String { "The link works once. It expires \(english) after the change." }
    fileprivate var englishSinceMerge: String { "The link works once. It expires \(english) after the merge." }

    private var english: String {
        switch self {
        case .minutes(let count): count == 1 ? "1 minute" : "\(count) minutes"
        case .hours(let count): count == 1 ? "1 hour" : "\(count) hours"
        case .days(let count): "\(count) days"
        }
    }
}
