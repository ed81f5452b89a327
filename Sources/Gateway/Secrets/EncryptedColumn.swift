internal import Crypto

/// A column of secrets that are encrypted under a master key, with access to the rows of its table.
struct EncryptedColumn<Row: Sendable>: Sendable {
    /// Returns the rows after `last` (`nil`: the first rows); none at the end.
    let page: @Sendable (_ last: Row?) async throws -> [Row]
    let ciphertext: @Sendable (Row) -> [UInt8]
    /// The context that the ciphertext is bound to.
    let context: @Sendable (Row) -> String
    /// Stores the new ciphertext if the row still has the old one, so that a concurrent change is not overwritten.
    let replace: @Sendable (Row, _ ciphertext: [UInt8]) async throws -> Void

    /// Encrypts again every row that is not encrypted under the current master key.
    ///
    /// - Returns: the number of rows that were encrypted again.
    func reencrypt(with box: SealedBox) async throws -> Int {
        var count = 0
        var rows = try await page(nil)
        while let last = rows.last {
            for row in rows {
                guard let encrypted = try box.resealed(ciphertext(row), context: context(row)) else { continue }
                try await replace(row, encrypted)
                count += 1
            }
            rows = try await page(last)
        }
        return count
    }
}
