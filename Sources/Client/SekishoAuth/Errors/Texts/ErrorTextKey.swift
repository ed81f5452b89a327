/// A text for errors. Each language has a file with an exhaustive `switch`, so a missing text does not compile.
enum ErrorTextKey: CaseIterable, Sendable {
    case general, noConnection, tooManyAttempts, wrongCredentials, wrongPassword, missingPassword, unknownAccount,
        failedSignIn, accountDisabled, notAvailable, notAllowed, emailExists, invalidEmail, accountExists, oldLogin,
        alreadyAdded, notFound, signedOut, linkedElsewhere, phoneNumberExists, otherAccount, weakPassword,
        expiredCode, invalidLink, wrongCode, invalidPhoneNumber, lastMethod, cancelled, otherSignIn, notSaved,
        unverifiedEmail, unverifiedNewEmail, secondStepNeeded, secondStepMissing, secondStepLimit, passkeyExists,
        passkeyLimit, passkeyRemoved, passkeyRejected, sameAccount, outdatedMerge, recoveryPending, mergeNotUndoable,
        invalidEntry, appMisconfigured

    /// A heading of a few words, and one or two sentences that say what the user can do.
    typealias Wording = (title: StaticString, text: StaticString)

    func wording(in language: ErrorTextLanguage) -> Wording {
        switch language {
        case .english: english
        case .japanese: japanese
        case .german: german
        case .french: french
        case .spanish: spanish
        case .portuguese: portuguese
        case .italian: italian
        case .korean: korean
        case .simplifiedChinese: simplifiedChinese
        case .traditionalChinese: traditionalChinese
        case .arabic: arabic
        case .indonesian: indonesian
        }
    }
}

/// The languages of the texts. The raw value is an RFC 5646 tag.
enum ErrorTextLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case portuguese = "pt-BR"
    case italian = "it"
    case korean = "ko"
    case simplifiedChinese = "zh-Hans"
    case traditionalChinese = "zh-Hant"
    case arabic = "ar"
    case indonesian = "id"

    /// Looks a tag up (RFC 4647 §3.4). Chinese without a script has the script of its region.
    ///
    /// - Parameter tag: RFC 5646, also with underscores. A tag of another language gets English.
    init(tag: String) {
        let subtags = tag.prefix(35).split { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
        // Extensions, such as a calendar, follow a subtag of one letter.
        let others = Set(subtags.dropFirst().prefix { $0.count > 1 })
        self =
            switch subtags.first ?? "" {
            case "zh" where !others.contains("hans") && !others.isDisjoint(with: ["hant", "tw", "hk", "mo"]):
                .traditionalChinese
            case "zh": .simplifiedChinese
            case "pt": .portuguese
            case "in": .indonesian
            case let primary: Self.allCases.first { $0.rawValue == primary } ?? .english
            }
    }
}
