import Identity
import Providers
import Testing

@Suite("The undo of a merge by its link")
struct MergeReversalTests {
    private static let mergeTime = Instant(seconds: 1_800_000_000)
    private static let email = EmailAddress("ada@example.com")
    private static let phone = PhoneNumber("+15555550100")
    private static let google = LinkedIdentity(provider: .google, subject: "g")
    private static let apple = LinkedIdentity(provider: .apple, subject: "a")

    private static func account(_ id: String, _ change: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(id: ID(id), createdAt: mergeTime, validSince: mergeTime)
        change(&account)
        return account
    }

    private static let source = account("source") {
        ($0.email, $0.emailIsVerified, $0.passwordUpdatedAt) = (email, true, mergeTime)
        ($0.phoneNumber, $0.displayName, $0.identities) = (phone, "Ada", [google])
    }

    private static func merge(into target: Account) throws -> MergeRecord {
        MergeRecord(
            plan: try MergePlan(of: source, into: target), source: source, targetGeneration: 1,
            targetHadSignInMethod: true,
            targetUsedEmailLinks: false, mergedAt: mergeTime, undoableUntil: mergeTime + AccountMerging.undoWindow)
    }

    /// The accounts before an undo, and what the undo restores and leaves.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The target before the merge.
        var before = account("target") { $0.identities = [apple] }
        /// The target before the undo.
        var target = account("target")
        var others: [Account] = []
        var returnsEmail = true
        var returnsPhoneNumber = true
        /// The subjects of identities that move from the target back to the source.
        var movedBack: [String] = []
        /// The subjects of identities that no account has, and that the source gets again.
        var recreated: [String] = []
        /// The ID of another account that loses the address, because it never verified the address.
        var accountLosingAddress: String?
        /// The target after the undo; `nil` if it is unchanged.
        var remaining: Account?
    }

    private static let rows = [
        Row(
            testDescription: "the target has everything from the merge",
            target: account("target") {
                ($0.email, $0.emailIsVerified, $0.passwordUpdatedAt) = (email, true, mergeTime)
                ($0.phoneNumber, $0.displayName, $0.identities) = (phone, "Ada", [apple, google])
            }, movedBack: ["g"], remaining: account("target") { $0.identities = [apple] }),
        Row(
            testDescription: "the target has another password, an unverified address and a new name",
            target: account("target") {
                ($0.email, $0.passwordUpdatedAt, $0.usesEmailLinks) = (email, mergeTime + .seconds(1), true)
                ($0.displayName, $0.generation, $0.identities) = ("Eve", 7, [apple])
            }, recreated: ["g"],
            remaining: account("target") { ($0.displayName, $0.generation, $0.identities) = ("Eve", 7, [apple]) }),
        Row(testDescription: "no account has anything from the merge", recreated: ["g"]),
        Row(
            testDescription: "the target has its own address",
            before: account("target") { ($0.email, $0.emailIsVerified) = (EmailAddress("bob@example.com"), true) },
            target: account("target") { ($0.email, $0.identities) = (EmailAddress("bob@example.com"), [google]) },
            movedBack: ["g"], remaining: account("target") { $0.email = EmailAddress("bob@example.com") }),
        Row(
            testDescription: "the target took the address later",
            before: account("target") { $0.email = EmailAddress("bob@example.com") },
            target: account("target") { ($0.email, $0.passwordUpdatedAt) = (email, mergeTime) }, recreated: ["g"],
            remaining: account("target")),
        Row(
            testDescription: "the target got the number later, from another request",
            before: account("target") { $0.phoneNumber = PhoneNumber("+15555550101") },
            target: account("target") { $0.phoneNumber = phone }, returnsPhoneNumber: false, recreated: ["g"]),
        Row(
            testDescription: "the target has another identity of the provider",
            target: account("target") { $0.identities = [LinkedIdentity(provider: .google, subject: "h")] },
            recreated: ["g"]),
        Row(
            testDescription: "other accounts have everything, verified",
            others: [
                account("x") { ($0.email, $0.emailIsVerified) = (email, true) },
                account("y") { $0.phoneNumber = phone }, account("z") { $0.identities = [google] },
            ], returnsEmail: false, returnsPhoneNumber: false),
        Row(
            testDescription: "another account has the address, unverified",
            others: [account("x") { ($0.email, $0.identities) = (email, [google]) }], accountLosingAddress: "x"),
        Row(
            testDescription: "another account has the address, unverified, and is disabled",
            others: [account("x") { ($0.email, $0.isDisabled) = (email, true) }], returnsEmail: false,
            recreated: ["g"]),
    ]

    @Test(
        "The undo restores what the source had, unless another account has verified or received it since",
        arguments: rows)
    func decision(row: Row) throws {
        let reversal = MergeReversal(
            of: try Self.merge(into: row.before), from: row.target, among: [row.target] + row.others)
        #expect(reversal.returnsEmail == row.returnsEmail)
        #expect(reversal.returnsPhoneNumber == row.returnsPhoneNumber)
        #expect(reversal.movedBack.map(\.subject) == row.movedBack)
        #expect(reversal.recreated.map(\.subject) == row.recreated)
        #expect(reversal.accountLosingAddress?.id.rawValue == row.accountLosingAddress)
        #expect(reversal.target == row.remaining)
        #expect(reversal.targetLosesEmail == (row.target.email == Self.email))
    }

    @Test("The undo creates a password reset code only if the address is restored")
    func reset() throws {
        let code = OOBCode(
            hash: [1], purpose: .undoMerge, account: ID("target"), email: try #require(Self.email),
            source: ID("source"),
            createdAt: Self.mergeTime, expiresAt: Self.mergeTime)
        let now = Self.mergeTime + .seconds(1)
        func reset(_ hash: [UInt8]?, of account: Account) -> OOBCode? {
            MergeUndoing(
                code: code, resetHash: hash, resetExpiresAt: now + .seconds(60),
                recording: EventRecording(by: .system, wanting: []), undoneAt: now
            ).resetCode(of: account)
        }
        let expected = OOBCode(
            hash: [2], purpose: .resetPassword, account: ID("source"), generation: 5, email: code.email, createdAt: now,
            expiresAt: now + .seconds(60))
        var restored = Self.source
        restored.generation = 5
        #expect(reset([2], of: restored) == expected)
        #expect(reset(nil, of: restored) == nil)
        #expect(reset([2], of: Self.account("source")) == nil)
    }
}
