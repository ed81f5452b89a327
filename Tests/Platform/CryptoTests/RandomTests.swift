import Crypto
import Testing

@Suite("Random values")
struct RandomTests {
    @Test("The requested number of random bytes is returned, different each time")
    func bytes() {
        #expect(Random.bytes(0).isEmpty)
        let draws = (0..<1000).map { _ in Random.bytes(16) }
        #expect(draws.allSatisfy { $0.count == 16 })
        #expect(Set(draws).count == 1000)
    }

    @Test("Random text has the requested length and only characters of its alphabet", arguments: [0, 1, 22, 1000])
    func text(length: Int) {
        let text = Random.text(length: length)
        #expect(text.utf8.count == length)
        #expect(text.allSatisfy { Random.alphanumerics.contains($0) })
    }

    /// The remainder of a random byte divided by 94 would be biased: because 256 = 2 · 94 + 68, it selects each of the
    /// first 68 characters 1.5 times as often as each of the others.
    @Test("Characters are equally likely even if the size of the alphabet does not divide 256")
    func unbiased() {
        let alphabet = (33...126).map { String(UnicodeScalar(UInt8($0))) }.joined()
        let draws = 94_000
        var counts: [Character: Int] = [:]
        for character in Random.text(length: draws, alphabet: alphabet) { counts[character, default: 0] += 1 }
        // 68 000 are expected, with a standard deviation of 137.
        // The remainder would give 94 000 · 3 · 68 / 256 = 74 900.
        let amongFirst68 = alphabet.prefix(68).reduce(0) { $0 + counts[$1, default: 0] }
        #expect(abs(amongFirst68 - 68_000) < 1000)
        #expect(counts.count == 94)
    }
}
