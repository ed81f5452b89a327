/// A step of a sign-in with a second factor. The raw value is the label `event` of `sekisho_second_factors_total`.
public enum SecondFactorEvent: String, Sendable, CaseIterable {
    /// The first factor was proven, and the sign-in waits for the second one.
    case asked
    case passed
    /// A code was wrong, or was used before.
    case wrong
}
