internal import HTML
internal import Identity

/// Why the account did not get a telephone number.
public enum PhoneProblem: Sendable {
    case invalid, taken, unreachable

    fileprivate var text: AccountPageText {
        switch self {
        case .invalid: .phoneInvalid
        case .taken: .phoneTaken
        case .unreachable: .phoneUnreachable
        }
    }
}

/// A telephone number to which a code was sent.
public struct PendingPhoneNumber: Sendable {
    let number: String
    /// The wire's `sessionInfo`.
    let enrolment: String

    public init(number: String, enrolment: String) {
        self.number = number
        self.enrolment = enrolment
    }
}

extension Page {
    /// The maximum length of a number in the form, with separators.
    public static let phoneNumberLimit = 40

    /// Asks for a telephone number to which a code is sent.
    ///
    /// - Parameters:
    ///   - submitted: the rejected number; `nil` before the first submission.
    ///   - problem: why it was rejected.
    public static func addPhone(
        submitted: String? = nil, problem: PhoneProblem? = nil, _ frame: AccountFrame
    ) -> Page {
        frame.page(
            .addPhone,
            (problem.map { [frame.problem($0.text)] } ?? []) + [
                frame.form(
                    .sendCode, [],
                    frame.field(
                        .phoneNumber, .phoneField, .phone,
                        [.type("tel"), .autocomplete("tel"), .required, .maxlength(phoneNumberLimit)]
                            + (submitted.map { [.value($0)] } ?? []), describedBy: [.hint],
                        isInvalid: problem != nil)
                        + [
                            Markup(.p, [.id(.hint), .classes(.note)], frame.markup(.phoneHint)),
                            frame.button(.sendCode),
                        ])
            ])
    }

    /// Asks for the code that was sent to a telephone number.
    ///
    /// - Parameter isRejected: whether the submitted code was wrong.
    public static func confirmPhone(
        _ pending: PendingPhoneNumber, isRejected: Bool = false, _ frame: AccountFrame
    ) -> Page {
        frame.page(
            .addPhone,
            (isRejected ? [frame.problem(.phoneCodeRejected)] : []) + [
                frame.paragraph(.phoneCodeSent),
                frame.details([(.phoneNumber, [.isolated(pending.number)])]),
                frame.form(
                    .confirm, [(.enrolment, pending.enrolment), (.phone, pending.number)],
                    frame.codeField(.phoneCode, isInvalid: isRejected, button: .addPhone)),
            ])
    }
}

extension ElementID {
    static let phoneField = ElementID("phone")
}
