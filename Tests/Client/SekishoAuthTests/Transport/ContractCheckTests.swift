import Testing

@testable import Support

/// Apps must accept values and members that a later release adds; the tests of this release must not.
@Suite("Check of responses against the contract")
struct ContractCheckTests {
    private static let lookUp: JSON = [
        "kind": "identitytoolkit#GetAccountInfoResponse",
        "users": [
            ["localId": "ada", "providerUserInfo": [["providerId": "apple.com", "credentialState": "REVOKED"]]]
        ],
    ]
    private static let error: JSON = [
        "error": ["code": 400, "errorCode": "EMAIL_EXISTS", "message": "EMAIL_EXISTS"]
    ]

    @Test(
        "Unknown values and members are problems",
        arguments: [
            ("LookUpOwnAccountOutput", lookUp, "identitytoolkit#GetAccountInfoResponse"),
            ("LookUpOwnAccountOutput", lookUp, "REVOKED"), ("LookUpOwnAccountOutput", lookUp, "localId"),
            ("ErrorEnvelope", error, "errorCode"), ("ErrorEnvelope", error, "EMAIL_EXISTS"),
        ])
    func mutation(schema: String, value: JSON, replaced: String) throws {
        let check = SchemaCheck(try #require(Contract.document))
        let reference: JSON = ["$ref": .string("#/components/schemas/\(schema)")]
        #expect(check.problems(value, reference) == [])
        let changed = String(decoding: try value.bytes, as: UTF8.self).replacing("\"\(replaced)\"", with: "\"later\"")
        #expect(!check.problems(try JSON([UInt8](changed.utf8)), reference).isEmpty)
    }
}
