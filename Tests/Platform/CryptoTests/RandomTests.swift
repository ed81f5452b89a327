import Crypto
import Testing

@Suite("Randomness")
struct RandomTests {
    @Test("gives as many bytes as asked, never the same")
    func bytes() {
        #expect(Random.bytes(0).isEmpty)
        let draws = (0..<1000).map { _ in Random.bytes(16) }
        #expect(draws.allSatisfy { $0.count == 16 })
        #expect(Set(draws).count == 1000)
    }

    @Test("text has the length asked for and letters of its alphabet only", arguments: [0, 1, 22, 1000])
    func text(length: Int) {
        let text = Random.text(length: length)
        #expect(text.utf8.count == length)
        #expect(text.allSatisfy { Random.alphanumerics.contains($0) })
    }

    /// 94 letters: with a plain remainder of 256, the first 68 would come three times for two of the others.
    @Test("every letter is equally likely, whatever the size of the alphabet")
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
