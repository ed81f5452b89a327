internal import HTML

extension SignInScreens {
    /// The page that lists the passkeys of the person who is signed in, creates another one, and removes one.
    package static let passkeysPath = "/console/passkeys"

    /// The form whose button signs in with a passkey.
    static func passkeyForm(_ ceremony: ConsoleCeremony?, _ state: State, isQuiet: Bool) -> [Markup] {
        guard let ceremony else { return [] }
        let form = PersonForm(
            "passkey", to: path, button: "Sign in with a passkey", keeping: [("continue", state.target)],
            isQuiet: isQuiet, ceremony: ceremony)
        return [form.markup(state.forms, for: state.browser)]
    }

    /// Asks for the passkey of a person who has entered the password, or has just created the passkey.
    ///
    /// - Parameters:
    ///   - ceremony: `nil` if pages of the console can no longer use passkeys.
    ///   - isNew: whether the person has just created the passkey.
    package static func passkey(_ state: State, _ ceremony: ConsoleCeremony?, isNew: Bool) -> Screen {
        let text =
            isNew
            ? "The passkey was created. Sign in with it to finish."
            : "Your account has a passkey, which replaces the password and a code."
        return screen(
            isNew ? "Passkey created" : "Sign in with your passkey", state, text,
            [.withoutPasskeys("This browser cannot use passkeys. Use a browser that has the passkey.")]
                + passkeyForm(ceremony, state, isQuiet: false), ceremony)
    }

    /// A passkey in the list of a person's passkeys.
    package struct ListedPasskey: Sendable {
        let id: String
        let name: String
        /// In milliseconds since 1970.
        let createdAt: Int64
        /// In milliseconds since 1970; `nil` if nobody has signed in with the passkey.
        let lastUsedAt: Int64?

        package init(id: String, name: String, createdAt: Int64, lastUsedAt: Int64?) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
        }
    }

    /// - Parameters:
    ///   - ceremony: `nil` if the person can create no further passkey.
    ///   - now: in milliseconds since 1970.
    package static func passkeys(
        _ passkeys: [ListedPasskey], _ ceremony: ConsoleCeremony?, _ state: State, now: Int64
    ) -> Screen {
        let rows = passkeys.enumerated().map { row(of: $1, at: $0, state, now: now) }
        let list = rows.isEmpty ? Markup(.p, text: "None.") : Markup(.ul, [.classes(["rows"])], rows)
        let creation = ceremony.map { ceremony in
            PersonForm("addPasskey", to: passkeysPath, button: "Create a passkey", ceremony: ceremony)
                .markup(state.forms, for: state.browser)
        }
        let advice =
            ceremony == nil
            ? Markup(.p, text: "You can create no further passkey here.")
            : .withoutPasskeys("This browser cannot create passkeys.")
        let back = Markup(.p, [.link("/console", .text("Back to the console"))])
        return screen(
            "Your passkeys", state, "With a passkey, you sign in to the console without a password and a code.",
            [list, advice] + [creation].compactMap(\.self) + [back], ceremony)
    }

    /// - Parameter index: of the passkey in the list. IDs of passkeys are too long for the ID of a form.
    private static func row(of passkey: ListedPasskey, at index: Int, _ state: State, now: Int64) -> Markup {
        let used =
            passkey.lastUsedAt.map { Markup(.span, [.text("last used "), .time($0, now: now)]) } ?? .text("never used")
        let removal = PersonForm(
            "\(removePasskeyForm)-\(index)", to: passkeysPath, button: "Remove this passkey",
            keeping: [("passkey", passkey.id)], isQuiet: true)
        return Markup(
            .li,
            [
                .isolated(passkey.name), Markup(.span, [.text("created "), .time(passkey.createdAt, now: now)]), used,
                Markup(
                    .details,
                    [
                        Markup(.summary, [.text("Remove "), .isolated(passkey.name)]),
                        Markup(
                            .p,
                            text:
                                "Sessions that were opened with this passkey end. You keep at least one passkey or authenticator app."
                        ), removal.markup(state.forms, for: state.browser),
                    ]),
            ])
    }

    /// The beginning of the IDs of the forms that remove a passkey.
    package static let removePasskeyForm = "removePasskey"
}
