internal import HTML
public import Identity

extension Page {
    /// Offers the download of the account's data.
    public static func accountData(_ frame: AccountFrame) -> Page {
        frame.page(
            .data,
            [
                frame.paragraph(.dataContents), frame.note(.dataLimit), frame.note(.dataEmail),
                frame.form(nil, [], [frame.button(.download)]),
            ])
    }

    /// Says what a deletion deletes, and asks for a tick. Without a session, the page offers to sign in: it has a
    /// public URL, which the app's page in a store names.
    ///
    /// - Parameters:
    ///   - account: the account of the signed-in user.
    ///   - isUnticked: whether the form was submitted without the tick.
    ///   - signInURL: `nil` if the user is signed in.
    public static func deleteAccount(
        _ account: AccountOverview? = nil, isUnticked: Bool = false, signInURL: String?, _ frame: AccountFrame
    ) -> Page {
        let tick = Markup(
            .div, [.classes(.choice)],
            [
                .void(
                    .input,
                    [
                        .id(.confirmed), .name(AccountField.confirmed.rawValue), .type("checkbox"), .value("true"),
                        .required,
                    ] + (isUnticked ? [.invalid, .describedBy([.problem])] : [])),
                Markup(.label, [.for(.confirmed)], frame.markup(.deleteTick)),
            ])
        let action =
            signInURL.map {
                Markup(.a, [.classes(.button), .href(.accountPage($0))], frame.markup(.deleteSignIn))
            } ?? frame.form(nil, [], [tick, frame.button(.deleteButton)])
        return frame.page(
            .deleteAccount,
            (isUnticked ? [frame.problem(.deleteTickMissing)] : []) + (account.map { [frame.details(of: $0)] } ?? [])
                + [
                    frame.paragraph(.deleteContents),
                    frame.list([.deleteAccountOf, .deleteIdentities, .deleteSessions, .deleteApple]),
                    frame.paragraph(.deleteBackups), action,
                ])
    }

    /// States that the account is deleted, and what happens at Apple.
    public static func accountDeleted(_ revocation: AppleRevocation, _ frame: AccountFrame) -> Page {
        let apple: [Markup] =
            switch revocation {
            case .none: []
            case .queued: [frame.paragraph(.deletedAppleQueued)]
            case .notPossible: [frame.paragraph(.deletedAppleByHand), frame.paragraph(.deletedAppleSteps)]
            }
        return Page(
            frame.context, Text(AccountPageText.deletedTitle), [frame.paragraph(.deleted)] + apple)
    }
}
