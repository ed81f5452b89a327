internal import HTML
internal import Identity

extension Page {
    /// Why a form of the account page changed nothing.
    public enum AccountFailure: Hashable, Sendable {
        /// The form is not of this session, or was sent by another page.
        case formExpired
        case tooManyAttempts(minutes: Int)
        case methodGone
        /// The project does not allow the change.
        case notAllowed
        case deletionNotAllowed
    }

    public static func accountFailure(_ failure: AccountFailure, _ frame: AccountFrame) -> Page {
        let (title, advice): (AccountPageText, Markup) =
            switch failure {
            case .formExpired: (.failureTitle, frame.paragraph(.formExpired))
            case .tooManyAttempts(let minutes):
                (.tooManyTitle, frame.paragraph(.waitMinutes, [.minutes: .count(minutes)]))
            case .methodGone: (.failureTitle, frame.paragraph(.methodGone))
            case .notAllowed: (.failureTitle, frame.paragraph(.notAvailable))
            case .deletionNotAllowed: (.failureTitle, frame.paragraph(.deletionNotAllowed))
            }
        let retry = failure == .formExpired ? [frame.link(.tryAgain, to: frame.path, isSecondary: false)] : []
        var page = frame.page(title, [advice] + retry)
        page.isFailure = true
        return page
    }
}
