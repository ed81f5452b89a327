internal import Foundation

/// What an app shows to the user for an error, in everyday words. The gateway returns the same texts
/// (`GET /v1/errorTexts`); the library contains them, because they are needed without a connection too.
public struct ErrorText: Hashable, Sendable {
    /// What helps the user.
    public enum Action: String, CaseIterable, Sendable {
        /// The same request again.
        case retry
        /// The same request after some minutes. See ``AuthErrorCode/retryAfter``.
        case wait
        /// Another sign-in: see ``User/reauthenticate(with:)``. After ``AuthErrorCode/userTokenExpired``, a new
        /// sign-in.
        case reauthenticate
        /// Other input, for example another password.
        case checkInput
        /// Another sign-in method.
        case otherMethod
        /// The support of the app.
        case contactSupport
    }

    /// A heading of a few words.
    public let title: String
    /// One or two sentences that say what the user can do.
    public let text: String
    /// What helps the user.
    public let action: Action

    init(_ entry: ErrorTextEntry, _ language: ErrorTextLanguage) {
        let wording = entry.key.wording(in: language)
        title = "\(wording.title)"
        text = "\(wording.text)"
        action = Action(rawValue: entry.action.rawValue) ?? .retry
    }
}

extension AuthErrorCode {
    /// Returns what the app shows to the user. ``errorDescription`` is for developers instead.
    ///
    /// - Parameter language: an RFC 5646 tag such as `ja` (default: the app's language). Languages without texts get
    ///   English.
    public func text(in language: String? = nil) -> ErrorText {
        let entry =
            ErrorTextTable.entries.first { entry in serverCode.map(entry.codes.contains) ?? false }
            ?? ErrorTextTable.entries.first { $0.numbers.contains(rawValue) } ?? ErrorTextTable.general
        let tag = language ?? Bundle.main.preferredLocalizations.first ?? Locale.preferredLanguages.first ?? "en"
        return ErrorText(entry, ErrorTextLanguage(tag: tag))
    }
}
