internal import HTML

extension Page {
    /// Asks the user to create a passkey.
    ///
    /// - Parameter isRejected: whether the gateway did not accept the created passkey.
    public static func addPasskey(
        _ ceremony: PasskeyCeremony, isRejected: Bool = false, _ frame: AccountFrame
    ) -> Page {
        frame.page(
            .addPasskey,
            (isRejected ? [frame.problem(.passkeyNotAdded)] : []) + [
                frame.paragraph(.passkeyHow), .withoutPasskeys(frame.string(.passkeysUnsupported)),
                frame.form(
                    nil, [(.credential, "")],
                    [frame.button(.createPasskey), .passkeyStatus(frame.string(.passkeyNotAdded))],
                    ceremony.attributes),
            ]
        ).with(ceremony)
    }

    /// Asks for the new name of a passkey.
    ///
    /// - Parameter rejected: the submitted name; `nil` before the first submission.
    public static func renamePasskey(
        _ passkey: AccountMethod, rejected: RejectedName? = nil, _ frame: AccountFrame
    ) -> Page {
        frame.page(
            .renameTitle,
            (rejected.map { [frame.problem($0.hasControls ? .nameHasControls : .passkeyNameInvalid)] } ?? []) + [
                frame.form(
                    nil, [(.method, passkey.reference.text)],
                    frame.field(
                        .name, .nameField, .displayName,
                        [
                            .type("text"), .autocomplete("off"), .required, .maxlength(RejectedName.lengthLimit),
                            .value(rejected?.shown ?? passkey.detail ?? ""),
                        ], isInvalid: rejected != nil)
                        + [frame.button(.saveProfile)])
            ])
    }
}
