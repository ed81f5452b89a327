internal import HTML

extension SignInScreens {
    /// The page on which the person who is signed in makes new recovery codes.
    package static let recoveryCodesPath = "/console/recoveryCodes"

    /// The unused recovery codes of a person.
    package struct StoredRecoveryCodes: Sendable {
        let remaining: Int
        /// In milliseconds since 1970.
        let createdAt: Int64

        package init(remaining: Int, createdAt: Int64) {
            self.remaining = remaining
            self.createdAt = createdAt
        }

        /// Identifies the codes in the form that replaces them.
        package static func version(_ stored: StoredRecoveryCodes?) -> String { stored.map { "\($0.createdAt)" } ?? "" }
    }

    /// The name of the field with the ``StoredRecoveryCodes/version(_:)`` that the page has shown.
    package static let replacedCodesField = "replaced"

    /// - Parameters:
    ///   - stored: `nil` if the person has no unused code.
    ///   - hasFactor: whether the account has a second factor, which a code replaces.
    ///   - now: in milliseconds since 1970.
    package static func recoveryCodes(
        _ stored: StoredRecoveryCodes?, hasFactor: Bool, _ state: State, now: Int64
    ) -> Screen {
        let text =
            "A recovery code replaces the code of the authenticator app once, for example after the loss of the app."
        guard hasFactor else {
            let advice = "Your account has no authenticator app, so you need no recovery codes."
            return screen("Your recovery codes", state, text, [Markup(.p, text: advice), back])
        }
        let count =
            stored.map { stored in
                Markup(
                    .p,
                    [.text("Unused codes: \(stored.remaining). Made "), .time(stored.createdAt, now: now), .text(".")])
            } ?? Markup(.p, text: "You have no unused code.")
        let form = PersonForm(
            "recoveryCodes", to: recoveryCodesPath, button: "Make new codes",
            keeping: [(replacedCodesField, StoredRecoveryCodes.version(stored))])
        return screen(
            "Your recovery codes", state, text,
            [
                count, Markup(.p, text: "New codes replace all earlier ones. They are shown once."),
                form.markup(state.forms, for: state.browser), back,
            ])
    }

    /// Shows the new codes. No later page shows them: the gateway stores only their hashes.
    package static func newRecoveryCodes(_ codes: [String]) -> Screen {
        Screen(
            "Your new recovery codes",
            [
                .markup(
                    Markup(
                        .section,
                        [
                            Markup(
                                .p,
                                text:
                                    "Keep these codes in a safe place. Each works once. They are not shown again, and earlier codes no longer work."
                            ), Markup(.ul, codes.map { Markup(.li, [Markup(.code, text: $0)]) }), back,
                        ]))
            ])
    }

    private static var back: Markup { Markup(.p, [.link("/console", .text("Back to the console"))]) }
}
