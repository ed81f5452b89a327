public import Identity

/// What the endpoints of accounts use.
public struct AccountServices: Sendable {
    /// Changes that users make to their own accounts.
    let editor: AccountEditor
    let administration: AccountAdministration
    let queries: AccountQueryService
    let linking: LinkAdministration

    public init(
        editor: AccountEditor, administration: AccountAdministration, queries: AccountQueryService,
        linking: LinkAdministration
    ) {
        self.editor = editor
        self.administration = administration
        self.queries = queries
        self.linking = linking
    }
}
