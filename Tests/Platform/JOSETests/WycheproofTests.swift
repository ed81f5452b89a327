import JOSE
import JSON
import Testing

/// A file of signature vectors in the format of Project Wycheproof, with the members that decide the outcome.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        let comment: String
        /// Absent for symmetric keys: all vectors of such a group must be rejected.
        let `public`: JWK?
        let tests: [Vector]
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let jws: String
        let result: String
    }

    let numberOfTests: Int
    let testGroups: [Group]
}

@Suite("Vectors for JWS in the format of Project Wycheproof")
struct WycheproofTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let key: JWK?
        let vector: WycheproofFile.Vector
        var testDescription: String { "\(vector.tcId) \(vector.comment)" }
    }

    static let file = Result {
        try StrictJSON.decode(WycheproofFile.self, from: PackageResources.json_web_signature_test_json)
    }

    static func rows() throws -> [Row] {
        try file.get().testGroups.flatMap { group in
            group.tests.map { Row(key: group.public, vector: $0) }
        }
    }

    @Test("A valid vector with a public key is accepted, and every other vector is rejected", arguments: try rows())
    func vectors(row: Row) throws {
        let mustBeAccepted = row.key != nil && row.vector.result == "valid"
        #expect(try accepts(row.vector.jws, row.key) == mustBeAccepted)
    }

    /// Without a key, a token is accepted if it can be parsed. Throws only errors that are not a rejection of the
    /// token, such as an invalid key.
    private func accepts(_ token: String, _ key: JWK?) throws -> Bool {
        do {
            let jws = try UnverifiedJWS(parsing: token)
            guard let key else { return true }
            _ = try jws.payload(verifiedWith: key.publicKey())
            return true
        } catch is JWSFault {
            return false
        }
    }

    @Test("The file has as many vectors as it states, each with its own ID, and five are valid")
    func complete() throws {
        let file = try Self.file.get()
        #expect(file.numberOfTests == file.testGroups.reduce(0) { $0 + $1.tests.count })
        #expect(Set(try Self.rows().map(\.vector.tcId)).count == file.numberOfTests)
        #expect(try Self.rows().filter { $0.vector.result == "valid" }.count == 5)
    }
}
