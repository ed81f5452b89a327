extension PhoneMethod {
    /// What the client intends: the wire's `operation`.
    public enum Operation: Sendable {
        /// Links with an ID token, otherwise signs in or up.
        case unspecified
        case signIn
        case reauthenticate
        /// Adds a number to an account that has none.
        case link
        /// Adds or replaces the number.
        case update
    }

    /// A requested sign-in, unchecked.
    public struct Request: Sendable {
        public var sessionInfo: String?
        public var code: Secret?
        public var temporaryProof: String?
        public var phoneNumber: String?
        public var idToken: String?
        public var operation: Operation
        /// Whether the user is the number's new holder, and not the owner of the account that has it.
        public var takesOver: Bool

        public init(
            sessionInfo: String?, code: Secret?, temporaryProof: String?, phoneNumber: String?, idToken: String?,
            operation: Operation, takesOver: Bool
        ) {
            self.sessionInfo = sessionInfo
            self.code = code
            self.temporaryProof = temporaryProof
            self.phoneNumber = phoneNumber
            self.idToken = idToken
            self.operation = operation
            self.takesOver = takesOver
        }
    }
}
