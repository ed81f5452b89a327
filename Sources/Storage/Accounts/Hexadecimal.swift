extension [UInt8] {
    /// Lower-case digits, for arrays of `bytea` that travel as text.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
