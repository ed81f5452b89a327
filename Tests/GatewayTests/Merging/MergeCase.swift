import HTTP
import Identity
import Postgres
import Testing

@testable import Support

extension TestGateway {
    func previewMerge(_ source: String = "ada", into target: String = "bob") async throws -> Exchange {
        try await administer(
            ":merge", ["sourceLocalId": .string(source), "localId": .string(target), "dryRun": true])
    }

    func merge(_ source: String = "ada", into target: String = "bob") async throws -> Exchange {
        let preview = try await previewMerge(source, into: target)
        return try await administer(":merge", ["mergeToken": preview.json["mergeToken"] ?? .null])
    }

    func undoMerge(_ source: String = "ada", _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await administer(
            ":undoMerge", .object(more.merging(["sourceLocalId": .string(source)]) { $1 }))
    }
}

/// Two accounts of which the source, `ada`, is merged into the target, `bob`.
struct MergeCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var ada: [String: JSON] = [:]
    var adaIdentities: [JSON] = []
    /// Members of the source that only an update accepts.
    var adaMore: [String: JSON] = [:]
    var bob: [String: JSON] = [:]
    var bobIdentities: [JSON] = []
    /// What the preview says the target will get.
    var moves: JSON = ["providers": [], "email": false, "phoneNumber": false, "displayName": false, "photoUrl": false]
    /// What the preview says will be lost.
    var drops: JSON = []

    static let google: JSON = [
        "providerId": "google.com", "rawId": "g1", "email": "ada@example.com", "emailVerified": true,
        "displayName": "Ada",
    ]
    static let apple: JSON = ["providerId": "apple.com", "rawId": "a1"]
    static let full: [String: JSON] = [
        "email": "ada@example.com", "emailVerified": true, "password": "secret1", "displayName": "Ada",
        "photoUrl": "https://example.com/ada.png", "phoneNumber": "+15555550100",
    ]

    /// The target has nothing, so everything that can move moves.
    static let emptyTarget = MergeCase(
        testDescription: "the source has everything, the target nothing", ada: full,
        adaIdentities: [google, apple],
        adaMore: ["customAttributes": #"{"role":"editor"}"#, "createdAt": "1700000000123"],
        moves: [
            "providers": ["apple.com", "google.com"], "email": true, "phoneNumber": true, "displayName": true,
            "photoUrl": true,
        ], drops: ["customClaims"])

    /// The target has everything, so only the source's identity moves.
    static let bothFull = MergeCase(
        testDescription: "both have everything", ada: full, adaIdentities: [google],
        bob: [
            "email": "bob@example.com", "password": "secret2", "displayName": "Bob",
            "photoUrl": "https://example.com/bob.png", "phoneNumber": "+15555550101",
        ], bobIdentities: [apple],
        moves: [
            "providers": ["google.com"], "email": false, "phoneNumber": false, "displayName": false,
            "photoUrl": false,
        ], drops: ["email", "password", "phoneNumber"])

    static let all = [
        emptyTarget,
        MergeCase(testDescription: "both have nothing"),
        bothFull,
        MergeCase(
            testDescription: "an address alone, never verified", ada: ["email": "ada@example.com"],
            bobIdentities: [apple],
            moves: [
                "providers": [], "email": true, "phoneNumber": false, "displayName": false, "photoUrl": false,
            ]),
        MergeCase(
            testDescription: "a phone number and a name", ada: ["phoneNumber": "+15555550100", "displayName": "Ada"],
            bob: ["email": "bob@example.com", "emailVerified": true, "password": "secret2"],
            moves: [
                "providers": [], "email": false, "phoneNumber": true, "displayName": true, "photoUrl": false,
            ]),
    ]

    /// A gateway with both accounts, whose clock is 10 seconds after its start.
    func gateway() async throws -> TestGateway {
        let gateway = try await TestGateway.administered()
        try await gateway.makeAccount(
            .object(ada.merging(["localId": "ada"]) { $1 }), identities: adaIdentities, more: adaMore)
        try await gateway.makeAccount(.object(bob.merging(["localId": "bob"]) { $1 }), identities: bobIdentities)
        gateway.clock.advance(by: .seconds(10))
        return gateway
    }
}
