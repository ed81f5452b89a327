/// What a blocking function tells the user whose sign-in it refuses, as one line of plain text.
public struct HookMessage: Hashable, Codable, Sendable {
    /// In Unicode scalars.
    public static let lengthLimit = 300

    public let text: String

    /// Replaces line breaks and control characters with spaces. Removes characters without a shape, which could hide or
    /// reorder text, and what is longer than the limit.
    ///
    /// - Returns: `nil` if nothing is left.
    public init?(_ message: String) {
        var scalars = String.UnicodeScalarView()
        for scalar in message.unicodeScalars where scalars.count < Self.lengthLimit {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if scalars.last != " " && !scalars.isEmpty { scalars.append(" ") }
            case .format, .surrogate, .privateUse, .unassigned: break
            default: scalars.append(scalar)
            }
        }
        if scalars.last == " " { scalars.removeLast() }
        guard !scalars.isEmpty else { return nil }
        text = String(scalars)
    }
}

/// The message of a refused sign-in, on the way from the return of a provider to the page. It is sealed, because
/// anybody can write the URL of the page.
public struct SignInPageVeto: Hashable, SealedTokenContent {
    public static let purpose = "sign-in page veto"
    public static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid

    /// Only this flow shows the message.
    public let flow: String
    public let message: HookMessage

    public init(_ message: HookMessage, of flow: SignInPageFlow) {
        self.flow = flow.id
        self.message = message
    }
}
