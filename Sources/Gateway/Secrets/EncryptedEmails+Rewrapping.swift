package import Crypto
internal import Identity
internal import Storage
internal import Tokens

extension EncryptedEmails {
    private static let pageSize = 500

    /// Encrypts payloads again that are encrypted under the previous master key.
    ///
    /// - Returns: the number of those payloads.
    package func rewrap(under masterKeys: MasterKeys) async throws -> Int {
        let payloads = EncryptedEmailPayloads(masterKeys: masterKeys)
        var count = 0
        var page = try await emails(after: nil, limit: Self.pageSize)
        while let last = page.last {
            for email in page {
                guard let sealed = try payloads.rewrapped(email.content, of: email.id) else { continue }
                try await reseal(email, as: sealed)
                count += 1
            }
            page = try await emails(after: last.id, limit: Self.pageSize)
        }
        return count
    }
}
