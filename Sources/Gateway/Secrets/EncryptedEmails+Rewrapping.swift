package import Crypto
internal import Identity
internal import Storage
internal import Tokens

extension EncryptedEmails {
    private static let pageSize = 500

    /// Seals what is sealed under the previous master key under the current one.
    ///
    /// - Returns: how many they were.
    package func rewrap(under masterKeys: MasterKeys) async throws -> Int {
        let letters = EncryptedEmailPayloads(masterKeys: masterKeys)
        var count = 0
        var page = try await self.letters(after: nil, limit: Self.pageSize)
        while let last = page.last {
            for letter in page {
                guard let sealed = try letters.rewrapped(letter.content, of: letter.id) else { continue }
                try await reseal(letter, as: sealed)
                count += 1
            }
            page = try await self.letters(after: last.id, limit: Self.pageSize)
        }
        return count
    }
}
