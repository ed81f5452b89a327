/// The bytes that hexadecimal digits encode. Other characters are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func repeated(_ byte: UInt8, count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
