import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// Merges by an administrator, who names the accounts by their IDs. Uses the service key of ``withServiceKey()``.
extension TestGateway {
    /// Makes the dry run of a merge.
    func previewMergeAsAdmin(_ source: String, into target: String) async throws -> Exchange {
        try await administerAccounts(
            ":merge", ["sourceLocalId": .string(source), "localId": .string(target), "dryRun": true])
    }

    /// Makes a dry run first, and returns the response to the request that merges.
    func mergeAsAdmin(_ source: String, into target: String) async throws -> Exchange {
        let preview = try await previewMergeAsAdmin(source, into: target)
        return try await administerAccounts(":merge", ["mergeToken": preview.json["mergeToken"] ?? .null])
    }

    /// - Parameters:
    ///   - source: the ID of the account that the merge deleted.
    ///   - more: further members of the request.
    func undoMergeAsAdmin(_ source: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await administerAccounts(
            ":undoMerge", .object(more.merging(["sourceLocalId": .string(source)]) { $1 }))
    }
}

/// Two accounts of which the source, `ada`, is merged into the target, `bob`.
struct MergeCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var ada: [String: JSON] = [:]
    var adaIdentities: [JSON] = []
    /// Members of `ada` that the creation of an account does not accept. An update sets them.
    var adaUpdate: [String: JSON] = [:]
    var bob: [String: JSON] = [:]
    var bobIdentities: [JSON] = []
    /// What the target gets, as the preview states it.
    var moves: JSON = ["providers": [], "email": false, "phoneNumber": false, "displayName": false, "photoUrl": false]
    /// The members of the source that are lost, as the preview states them.
    var drops: JSON = []

    static let googleIdentity: JSON = [
        "providerId": "google.com", "rawId": "g1", "email": "ada@example.com", "emailVerified": true,
        "displayName": "Ada",
    ]
    static let appleIdentity: JSON = ["providerId": "apple.com", "rawId": "a1"]
    static let fullAda: [String: JSON] = [
        "email": "ada@example.com", "emailVerified": true, "password": "secret1", "displayName": "Ada",
        "photoUrl": "https://example.com/ada.png", "phoneNumber": "+15555550100",
    ]

    /// Everything that can move moves.
    static let fullSourceIntoEmptyTarget = MergeCase(
        testDescription: "the source has everything, the target nothing", ada: fullAda,
        adaIdentities: [googleIdentity, appleIdentity],
        adaUpdate: ["customAttributes": #"{"role":"editor"}"#, "createdAt": "1700000000123"],
        moves: [
            "providers": ["apple.com", "google.com"], "email": true, "phoneNumber": true, "displayName": true,
            "photoUrl": true,
        ], drops: ["customClaims"])

    /// The target already has every member, so only the source's identity moves.
    static let fullSourceIntoFullTarget = MergeCase(
        testDescription: "both accounts have everything", ada: fullAda, adaIdentities: [googleIdentity],
        bob: [
            "email": "bob@example.com", "password": "secret2", "displayName": "Bob",
            "photoUrl": "https://example.com/bob.png", "phoneNumber": "+15555550101",
        ], bobIdentities: [appleIdentity],
        moves: [
            "providers": ["google.com"], "email": false, "phoneNumber": false, "displayName": false,
            "photoUrl": false,
        ], drops: ["email", "password", "phoneNumber"])

    static let all = [
        fullSourceIntoEmptyTarget,
        MergeCase(testDescription: "both accounts have nothing"),
        fullSourceIntoFullTarget,
        MergeCase(
            testDescription: "the source has only an address, which was never verified",
            ada: ["email": "ada@example.com"],
            bobIdentities: [appleIdentity],
            moves: [
                "providers": [], "email": true, "phoneNumber": false, "displayName": false, "photoUrl": false,
            ]),
        MergeCase(
            testDescription: "the source has a phone number and a name, the target an address and a password",
            ada: ["phoneNumber": "+15555550100", "displayName": "Ada"],
            bob: ["email": "bob@example.com", "emailVerified": true, "password": "secret2"],
            moves: [
                "providers": [], "email": false, "phoneNumber": true, "displayName": true, "photoUrl": false,
            ]),
    ]

    /// Creates a gateway with both accounts, and advances its clock by 10 seconds.
    func gatewayWithAccounts() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(
            .object(ada.merging(["localId": "ada"]) { $1 }), identities: adaIdentities, updating: adaUpdate)
        try await gateway.makeAccount(.object(bob.merging(["localId": "bob"]) { $1 }), identities: bobIdentities)
        gateway.clock.advance(by: .seconds(10))
        return gateway
    }
}
