/// A secret of a client, made before a request that replaces the client's session.
///
/// If the response with the new tokens is lost, a refresh token of the former session and the key together give tokens
/// of the new one. Without the key, the refresh token is rejected, so that a thief who has copied it
/// gets no tokens after a change of password.
public struct ResumptionKey: Sendable {
    public let secret: Secret

    /// - Returns: `nil` unless the text is 22 to 128 characters of base64url: at least 128 random bits.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{22,128}/) != nil else { return nil }
        secret = Secret(text)
    }
}
