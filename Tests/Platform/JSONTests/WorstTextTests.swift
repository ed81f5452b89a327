import Encoding
import Foundation
import JSON
import Testing

/// The time of each operation is compared with the time of the same operation on ordinary text of the same length.
@Suite("The cost of unusual text", .serialized)
struct WorstTextTests {
    private static let length = 63 * 1024
    /// Work in proportion to the square of the length would cost a hundred times as much as ordinary text.
    private static let highestRatio = 20.0

    private struct Members: Decodable {
        let first: String?
        let second: String?
        let third: Int?
    }

    /// Combining characters in the reverse of the order into which normalization sorts them.
    private static let reversed = "\u{345}\u{301}\u{334}"

    private static let units: [(String, String)] = [
        ("combining characters", reversed), ("runs", "r" + String(repeating: reversed, count: 42)),
        ("Hangul", "\u{1100}\u{1161}\u{11A8}"), ("one grapheme", "\u{200D}\u{34F}"), ("escapes", #"\u0301\u0334"#),
    ]

    private static let texts: [(String, String)] = units.map { name, unit in
        (name, String(repeating: unit, count: length / unit.utf8.count))
    }

    private static let members = (0..<6000).map { "\"\($0)\":0" }.joined(separator: ",")
    private static let similarName = "r" + String(repeating: reversed, count: 40)
    private static let similarMembers = (0..<250).map { "\"\(similarName)\($0)\":0" }.joined(separator: ",")
    private static let nested = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)

    private static let names: [(String, String)] = texts.map { ("\($0) as a name", "{\"\($1)\":1}") }
    private static let values: [(String, String)] = texts.map { ("\($0) as a value", "{\"first\":\"\($1)\"}") }
    private static let others: [(String, String)] = [
        ("members", "{\(members)}"), ("similar names", "{\(similarMembers)}"),
        ("numbers", "{\"first\":[\(String(repeating: "0,", count: 31_000))0]}"),
        ("a long number", "{\"third\":\(String(repeating: "9", count: length))}"),
        ("nested arrays", "{\"a\":[\(String(repeating: nested + ",", count: 1000))0]}"),
    ]

    @Test("Decoding unusual text costs about as much as decoding ordinary text", arguments: names + values + others)
    func decoding(name: String, body: String) {
        let ordinary = Self.cost(of: #"{"first":"\#(String(repeating: "r", count: Self.length))"}"#)
        #expect(Self.cost(of: body) < Self.highestRatio * ordinary, "\(name)")
    }

    /// The seconds of this thread for decoding a body as two types, whether or not the body is accepted.
    private static func cost(of body: String) -> Double {
        let bytes = Array(body.utf8)
        let start = threadTime()
        for _ in 0..<3 {
            _ = try? StrictJSON.decode(Members.self, from: bytes, camelCasesNames: true)
            _ = try? StrictJSON.decode(JSONObject.self, from: bytes)
        }
        return threadTime() - start
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
