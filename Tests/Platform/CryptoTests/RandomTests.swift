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

    /// With 94 letters, a plain remainder of 256 would select the first 68 letters 1.5 times as often as the others.
    @Test("Characters are equally likely even if the size of the alphabet does not divide 256")
    func unbiased() {
        let letters = (33...126).map { String(UnicodeScalar(UInt8($0))) }.joined()
        let draws = 94_000
        var counts: [Character: Int] = [:]
        for letter in Random.text(length: draws, alphabet: letters) { counts[letter, default: 0] += 1 }
        // 68 000 are expected, with a standard deviation of 137; a plain remainder would give 74 900.
        let favoured = letters.prefix(68).reduce(0) { $0 + counts[$1, default: 0] }
        #expect(abs(favoured - 68_000) < 1000)
        #expect(counts.count == 94)
    }
}
