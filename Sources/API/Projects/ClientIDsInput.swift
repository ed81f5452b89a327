/// The audiences of a provider on the wire: the first alone in `clientId`, and all of them in the extension
/// `clientIds`.
struct ClientIDsInput {
    let clientId: String?
    let clientIds: [String]?
    /// For Apple only.
    var bundleIds: [String]?

    /// `clientIds` takes precedence if present and covered by the mask. Otherwise `clientId` replaces the first
    /// audience, and `bundleIds` replaces the remaining ones. An absent member removes its audiences if there is no
    /// mask, and keeps them otherwise.
    func ids(insteadOf old: [String], maskedBy mask: FieldMask) -> [String] {
        if mask.contains("clientIds"), let clientIds { return clientIds }
        let current = mask.coversAllFields ? [] : old
        let first = mask.contains("clientId") ? clientId.nonEmpty : nil
        let others = mask.contains("appleSignInConfig.bundleIds") ? bundleIds : nil
        let all = [first ?? current.first].compactMap { $0 } + (others ?? Array(current.dropFirst()))
        return all.withoutDuplicates
    }
}
