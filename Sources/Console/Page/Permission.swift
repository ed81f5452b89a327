/// Whether the person who uses the page may perform an operation.
package enum Permission: Sendable, Equatable {
    case granted
    /// The person must first prove both factors again.
    case needsProof
    /// The person's role does not allow it.
    case denied
}

/// The operations that the person at a screen may call. The API checks them again; a screen only leaves out the forms
/// that the API would reject.
package struct Permissions: Sendable {
    /// Takes an `operationId`, and the names of further scopes that the request needs.
    let permission: @Sendable (_ operation: String, _ scopes: [String]) -> Permission
    /// Encrypts the submitted values of a form while the person proves the factors again.
    let drafts: SealedTexts
    /// The path of the page on which a person proves both factors again, and which then leads to `target`.
    let confirmationPath: @Sendable (_ target: String) -> String
    /// The person's role in the project.
    let role: String
    /// The operators' project, whose roles apply to all projects.
    let operators: String
    /// Whether the person has a role in all projects.
    let actsEverywhere: Bool

    package init(
        role: String, operators: String, actsEverywhere: Bool,
        permission: @escaping @Sendable (_ operation: String, _ scopes: [String]) -> Permission,
        drafts: SealedTexts, confirmationPath: @escaping @Sendable (_ target: String) -> String
    ) {
        self.role = role
        self.operators = operators
        self.actsEverywhere = actsEverywhere
        self.permission = permission
        self.drafts = drafts
        self.confirmationPath = confirmationPath
    }
}
