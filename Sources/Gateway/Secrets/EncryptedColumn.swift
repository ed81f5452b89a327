internal import Crypto

/// A column of secrets that are encrypted under a master key, with access to the rows of its table.
struct EncryptedColumn<Row: Sendable>: Sendable {
    /// Returns the next page: the rows after `last`, or the first rows if `last` is `nil`. It is empty after the last
    /// page.
    let page: @Sendable (_ last: Row?) async throws -> [Row]
    /// Returns the ciphertext in a row.
    let ciphertext: @Sendable (Row) -> [UInt8]
    /// Returns the context that the ciphertext in a row is bound to (see ``SealedBox``).
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
