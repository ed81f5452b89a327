/// Repeatable random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The bytes of `text` with up to three random changes.
    mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            let byte =
                [0, 0x0A, 0x0D, 0x20, 0x3A, UInt8.random(in: 0...255, using: &self)].randomElement(using: &self) ?? 0
            switch Int.random(in: 0...3, using: &self) {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(byte, at: index)
            case 2: bytes[index] = byte
            default: bytes.insert(contentsOf: bytes[..<index], at: index)
            }
        }
        return bytes
    }
}
