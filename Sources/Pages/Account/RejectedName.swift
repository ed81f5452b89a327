internal import Identity

/// A name that the account page does not accept: of the user, or of a passkey.
public struct RejectedName: Sendable {
    /// The maximum length of a name in the forms. The account accepts longer ones from an app.
    public static let lengthLimit = 100

    /// Whether the name contains control characters, such as line breaks. Otherwise it is too long, or empty.
    let hasControls: Bool
    /// What the form shows again: the beginning of the name, without control characters.
    let shown: String

    /// - Parameter isRequired: whether the empty name is rejected too.
    /// - Returns: `nil` if the name is accepted.
    public init?(_ name: String, isRequired: Bool = false) {
        let scalars = name.unicodeScalars
        hasControls = scalars.contains(where: \.isControl)
        guard hasControls || scalars.count > Self.lengthLimit || (isRequired && scalars.isEmpty) else { return nil }
        var shown = String.UnicodeScalarView()
        for scalar in scalars.lazy.filter({ !$0.isControl }).prefix(Self.lengthLimit) { shown.append(scalar) }
        self.shown = String(shown)
    }
}
