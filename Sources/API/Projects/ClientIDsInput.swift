/// The accepted audiences (client IDs) of a provider on the wire: the first audience in `clientId`, and all audiences
/// in the extension `clientIds`.
struct ClientIDsInput {
    let clientId: String?
    let clientIds: [String]?
    /// All audiences except the first. For Apple only.
    var bundleIds: [String]?

    /// Returns the new audiences. `clientIds` takes precedence if it is present and the mask covers it. Otherwise,
    /// `clientId` replaces the first audience, and `bundleIds` replaces the remaining ones. If one of these two is
    /// absent, its audiences are removed if the request has no mask, and kept otherwise.
    func audiences(replacing old: [String], maskedBy mask: FieldMask) -> [String] {
        if mask.contains("clientIds"), let clientIds { return clientIds }
        let current = mask.coversAllFields ? [] : old
        let first = mask.contains("clientId") ? clientId.nonEmpty : nil
        let others = mask.contains("appleSignInConfig.bundleIds") ? bundleIds : nil
        let all = [first ?? current.first].compactMap { $0 } + (others ?? Array(current.dropFirst()))
        return all.withoutDuplicates
    }
}
