internal import HTML

extension SignInScreens {
    /// The page that lists the passkeys of the person who is signed in, and creates another one.
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
        let name: String
        /// In milliseconds since 1970.
        let createdAt: Int64

        package init(name: String, createdAt: Int64) {
            self.name = name
            self.createdAt = createdAt
        }
    }

    /// - Parameters:
    ///   - ceremony: `nil` if the person can create no further passkey.
    ///   - now: in milliseconds since 1970.
    package static func passkeys(
        _ passkeys: [ListedPasskey], _ ceremony: ConsoleCeremony?, _ state: State, now: Int64
    ) -> Screen {
        let rows = passkeys.map { passkey in
            Markup(.li, [.isolated(passkey.name), .time(passkey.createdAt, now: now)])
        }
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
}
