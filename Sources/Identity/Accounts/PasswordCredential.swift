/// A valid address and a password, ready to be verified or stored.
struct PasswordCredential {
    let email: EmailAddress
    let password: Secret

    /// - Throws: ``CredentialRefusal``, in the wire's order: address missing, address invalid, password missing.
    init(email: String?, password: Secret?) throws(CredentialRefusal) {
        self.email = try EmailAddress(presented: email)
        guard let password, !password.isEmpty else { throw .missingPassword }
        self.password = password
    }
}
