internal import Identity

extension EmailTemplate {
    static func english(_ facts: TemplateValues) -> EmailTemplate {
        let (app, method) = (facts.app, facts.method.english)
        switch facts.kind {
        case .verifyEmail:
            return english(
                "Verify your e-mail address for \(app)",
                "This address was given for an account of \(app). Follow the link to confirm that it is yours.",
                action: "Verify e-mail address", [facts.lifetime.english, notAsked])
        case .resetPassword:
            return english(
                "Reset your password for \(app)",
                "A new password was asked for, for your account of \(app). Follow the link to choose one.",
                action: "Choose a new password", [facts.lifetime.english, notAsked])
        case .signIn:
            return english(
                "Sign in to \(app)", "Follow the link to sign in to \(app), on the device where you asked for it.",
                action: "Sign in",
                [facts.lifetime.english, "Whoever has this link can sign in as you: pass it on to nobody.", notAsked])
        case .changeEmail:
            return english(
                "Confirm your new e-mail address for \(app)",
                "This address is to become the address of an account of \(app). Follow the link to confirm that it is "
                    + "yours.", action: "Confirm new address", [facts.lifetime.english, notAsked])
        case .passwordChanged:
            return english(
                "Your password for \(app) was changed",
                ["The password of your account of \(app) was changed, and every device was signed out."]
                    + (facts.removable.isEmpty ? [] : [recentlyAdded]),
                actions: facts.removable.map(\.englishRemoval),
                facts.removable.isEmpty
                    ? [byOther] : [removal, facts.lifetime.englishSinceChange, byOtherOrAdded])
        case .emailChanged:
            return english(
                "Your e-mail address for \(app) was changed",
                "Your account of \(app), which had this address, has another one now. If that was you, there is nothing "
                    + "to do. If it was not, follow the link: the account gets this address back.",
                action: "Undo the change", [facts.lifetime.englishSinceChange, "Then choose a new password at once."])
        case .identityLinked:
            return english(
                "A way to sign in to \(app) was added",
                "You can now sign in to your account of \(app) with \(method). If that was you, there is nothing to do. If it "
                    + "was not, follow the link.", action: facts.method.englishRemoval,
                [removal, facts.lifetime.englishSinceChange])
        case .identityUnlinked:
            return english(
                "A way to sign in to \(app) was removed",
                "Your account of \(app) can no longer be signed in to with \(method).", [byOther])
        case .accountReclaimed:
            return english(
                "Your account of \(app) was secured",
                "An account of \(app) had this address without ever having proved it. Now somebody who could prove it "
                    + "has signed in: the account is theirs, and the password and every other way to sign in that it "
                    + "had before were removed.",
                [
                    "If that was you, there is nothing to do. If it was not, secure your mailbox first: somebody else "
                        + "can read it."
                ])
        case .accountDeleted:
            return english(
                "Your account of \(app) was deleted", "Your account of \(app), and what belonged to it, was deleted.",
                ["If that was not you, write to those who run \(app)."])
        case .accountsMerged: return merged(facts)
        }
    }

    private static func merged(_ facts: TemplateValues) -> EmailTemplate {
        let app = facts.app
        let methods = facts.methods.map(\.english).joined(separator: ", ")
        let advice =
            facts.hasLink
            ? [
                facts.lifetime.englishSinceMerge,
                "The link gives you your own account back, even if the merged account was changed. It stops working if the "
                    + "merged account is deleted.",
            ]
            : [
                "If that was you, there is nothing to do. If it was not you, contact the people who run \(app)."
            ]
        let undo = "If that was you, there is nothing to do. If it was not, follow the link to undo it."
        return english(
            "Two accounts of \(app) were merged",
            [
                "Your account of \(app) and another account of \(app) were merged into one.",
                methods.isEmpty ? nil : "Ways to sign in to the merged account: \(methods).",
                facts.hasLink ? undo : nil,
            ].compactMap(\.self), actions: facts.hasLink ? ["Undo the merge"] : [], advice)
    }

    private static let notAsked = "You did not ask for this? Then ignore this mail: nothing will change."

    private static let byOther =
        "If that was you, there is nothing to do. If it was not, \(reset)"

    private static let byOtherOrAdded =
        "If you changed the password and added all of these yourself, there is nothing to do. If you did not change the "
        + "password, \(reset)"

    private static let reset = "ask for a new password on the sign-in page at once; that signs out everybody else."

    private static let recentlyAdded =
        "The ways to sign in listed below were added to your account in the last 30 days and still work. If you did not "
        + "add one of them, use its link."

    private static let removal =
        "The link opens a page. If you confirm there, that way to sign in and all that were added after it are removed, and "
        + "every device is signed out. A password that was set after it stops working, and the account goes back to "
        + "this email address."

    private static func english(
        _ subject: String, _ paragraph: String, action: String? = nil, _ advice: [String]
    ) -> EmailTemplate {
        english(subject, [paragraph], actions: [action].compactMap(\.self), advice)
    }

    private static func english(
        _ subject: String, _ paragraphs: [String], actions: [String], _ advice: [String]
    ) -> EmailTemplate {
        EmailTemplate(
            subject: subject, paragraphs: paragraphs, actions: actions, advice: advice,
            plainLink: "If the button does not work, open this address in a browser:")
    }
}

extension SignInMethodName {
    fileprivate var english: String {
        switch self {
        case .named(let name): name
        case .password: "a password"
        case .emailLink: "a link sent by e-mail"
        case .phone: "a phone number"
        case .other: "another service"
        }
    }

    /// Label of the link that removes it.
    fileprivate var englishRemoval: String {
        switch self {
        case .named(let name): "Remove sign-in with \(name)"
        case .password: "Remove the password"
        case .emailLink: "Remove sign-in by email link"
        case .phone: "Remove the phone number"
        case .other: "Remove sign-in with another service"
        }
    }
}

extension HumanDuration {
    fileprivate var english: String { "The link works once, and for \(inEnglish) after it was asked for." }

    /// The lifetime of a link in a notice, which is sent without a request.
    fileprivate var englishSinceChange: String { "The link works once, and for \(inEnglish) after the change." }

    fileprivate var englishSinceMerge: String { "The link works once, for \(inEnglish) after the merge." }

    private var inEnglish: String {
        switch self {
        case .minutes(let count): count == 1 ? "1 minute" : "\(count) minutes"
        case .hours(let count): count == 1 ? "1 hour" : "\(count) hours"
        case .days(let count): "\(count) days"
        }
    }
}
