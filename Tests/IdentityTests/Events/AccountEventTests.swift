import FoundationEssentials
import Identity
import Providers
import Testing

@Suite("Account events")
struct AccountEventTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let change: AccountEvent.Change
        /// The type and the data for listeners.
        let event: String
        /// Action, subject and details of each audit event.
        let audit: [String]

        var testDescription: String { "\(change)" }
    }

    static let rows = [
        Row(change: .accountCreated, event: "account.created {}", audit: ["account.created ada"]),
        Row(
            change: .accountUpdated(fields: ["email", "password"]),
            event: #"account.updated {"fields":["email","password"]}"#,
            audit: ["account.updated ada fields=email password"]),
        Row(
            change: .accountReplacedByImport, event: #"account.updated {"method":"import"}"#,
            audit: ["account.updated ada method=import"]),
        Row(change: .accountDeleted, event: "account.deleted {}", audit: ["account.deleted ada"]),
        Row(change: .accountDisabled, event: "account.disabled {}", audit: ["account.disabled ada"]),
        Row(change: .accountEnabled, event: "account.enabled {}", audit: ["account.enabled ada"]),
        Row(
            change: .accountMerged(source: ID("bob")), event: #"account.merged {"source":"bob"}"#,
            audit: ["account.merged ada source=bob", "account.merged bob target=ada"]),
        Row(
            change: .accountMergeUndone(source: ID("bob")), event: #"account.mergeUndone {"source":"bob"}"#,
            audit: ["account.mergeUndone ada source=bob", "account.mergeUndone bob target=ada"]),
        Row(
            change: .accountReclaimed(by: .apple), event: #"account.reclaimed {"provider":"apple.com"}"#,
            audit: ["account.reclaimed ada provider=apple.com"]),
        Row(change: .accountReclaimed(by: nil), event: "account.reclaimed {}", audit: ["account.reclaimed ada"]),
        Row(
            change: .accountSignInMethodMissing, event: "account.signInMethodMissing {}",
            audit: ["account.signInMethodMissing ada"]),
        Row(
            change: .identityLinked(.google), event: #"identity.linked {"provider":"google.com"}"#,
            audit: ["identity.linked ada provider=google.com"]),
        Row(
            change: .identityUnlinked(.google), event: #"identity.unlinked {"provider":"google.com"}"#,
            audit: ["identity.unlinked ada provider=google.com"]),
        Row(
            change: .identityMoved(.google, source: ID("bob")),
            event: #"identity.moved {"provider":"google.com","source":"bob"}"#,
            audit: [
                "identity.moved ada provider=google.com source=bob",
                "identity.moved bob provider=google.com target=ada",
            ]),
        Row(
            change: .identityTransferred(.apple), event: #"identity.transferred {"provider":"apple.com"}"#,
            audit: ["identity.transferred ada provider=apple.com"]),
        Row(
            change: .identitySuspended(.google), event: #"identity.suspended {"provider":"google.com"}"#,
            audit: ["identity.suspended ada provider=google.com"]),
        Row(
            change: .signalReceived(.google, type: "sessions-revoked", effects: ["sessionsEnded"]),
            event: #"signal.received {"effect":["sessionsEnded"],"provider":"google.com","type":"sessions-revoked"}"#,
            audit: ["signal.received ada effect=sessionsEnded provider=google.com type=sessions-revoked"]),
        Row(
            change: .ageConsentRescinded(bundleID: "b", transactionID: "t"),
            event: #"ageConsent.rescinded {"appTransactionId":"t","bundleId":"b"}"#,
            audit: ["ageConsent.rescinded ada appTransactionId=t bundleId=b"]),
        Row(
            change: .accountSignedUp(by: .google), event: #"account.created {"method":"google.com"}"#, audit: []),
        Row(
            change: .sessionOpened(ID("s"), by: .password),
            event: #"session.opened {"method":"password","sessionId":"s"}"#, audit: []),
        Row(
            change: .sessionRevoked(ID("s")), event: #"session.revoked {"sessionId":"s"}"#,
            audit: ["session.revoked ada sessionId=s"]),
        Row(
            change: .sessionRevoked(nil), event: #"session.revoked {"all":true}"#,
            audit: ["session.revoked ada all=true"]),
        Row(
            change: .factorAdded(.totp, ID("f")), event: #"factor.added {"factor":"totp","factorId":"f"}"#,
            audit: ["factor.added ada factor=totp factorId=f"]),
        Row(
            change: .factorRemoved(.totp, ID("f")), event: #"factor.removed {"factor":"totp","factorId":"f"}"#,
            audit: ["factor.removed ada factor=totp factorId=f"]),
        Row(
            change: .passkeyAdded(ID("p")), event: #"passkey.added {"credentialId":"p"}"#,
            audit: ["passkey.added ada credentialId=p"]),
        Row(
            change: .passkeyRemoved(ID("p")), event: #"passkey.removed {"credentialId":"p"}"#,
            audit: ["passkey.removed ada credentialId=p"]),
        Row(
            change: .passkeyCounterFailed(ID("p")), event: #"passkey.counter {"credentialId":"p"}"#,
            audit: ["passkey.counter ada credentialId=p"]),
        Row(change: .recoveryCodeUsed, event: "recoveryCode.used {}", audit: ["recoveryCode.used ada"]),
        Row(change: .recoveryCodesRenewed, event: "recoveryCode.renewed {}", audit: ["recoveryCode.renewed ada"]),
        Row(change: .passwordChanged, event: "password.changed {}", audit: ["password.changed ada"]),
        Row(change: .passwordRemoved, event: "password.removed {}", audit: ["password.removed ada"]),
        Row(change: .emailChanged(by: nil), event: "email.changed {}", audit: ["email.changed ada"]),
        Row(
            change: .emailChanged(by: .apple), event: "email.changed {}",
            audit: ["email.changed ada provider=apple.com"]),
        Row(change: .emailVerified, event: "email.verified {}", audit: ["email.verified ada"]),
        Row(change: .emailDisavowed, event: "email.disavowed {}", audit: ["email.disavowed ada"]),
        Row(change: .phoneAdded, event: "phone.added {}", audit: ["phone.added ada"]),
        Row(change: .phoneRemoved, event: "phone.removed {}", audit: ["phone.removed ada"]),
        Row(change: .phoneTakenOver, event: "phone.takenOver {}", audit: ["phone.takenOver ada"]),
        Row(
            change: .appleConsentRevoked(clientID: "app"), event: #"apple.consentRevoked {"clientId":"app"}"#,
            audit: ["apple.consentRevoked ada clientId=app"]),
        Row(
            change: .appleConsentRevoked(clientID: nil), event: "apple.consentRevoked {}",
            audit: ["apple.consentRevoked ada"]),
        Row(
            change: .appleAccountDeleted(clientID: "app"), event: #"apple.accountDeleted {"clientId":"app"}"#,
            audit: ["apple.accountDeleted ada clientId=app"]),
        Row(
            change: .appleEmailDisabled(clientID: "app"), event: #"apple.emailDisabled {"clientId":"app"}"#,
            audit: ["apple.emailDisabled ada clientId=app"]),
        Row(
            change: .appleEmailEnabled(clientID: "app"), event: #"apple.emailEnabled {"clientId":"app"}"#,
            audit: ["apple.emailEnabled ada clientId=app"]),
    ]

    @Test("An event has a type and data for listeners, and details for the audit trail", arguments: rows)
    func encodings(row: Row) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = String(decoding: try encoder.encode(row.change.data), as: UTF8.self)
        #expect("\(row.change.kind.rawValue) \(data)" == row.event)
        let notes = AccountEvent(row.change, of: ID("ada")).auditNotes.map { note in
            ([note.action, note.subject] + note.detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        }
        #expect(notes == row.audit)
    }

    @Test("The table has every kind, and each kind is a noun, a full stop and a verb without hyphens")
    func kinds() {
        #expect(Set(Self.rows.map(\.change.kind)) == Set(AccountEvent.Kind.allCases))
        for kind in AccountEvent.Kind.allCases {
            #expect(kind.rawValue.wholeMatch(of: /[a-z][A-Za-z]*\.[a-z][A-Za-z]*/) != nil, "\(kind.rawValue)")
        }
    }

    @Test("Repetitions of a client share an audit event; the end of all sessions is no repetition of the end of one")
    func coalescing() {
        func key(_ change: AccountEvent.Change, by actor: AuditActor) -> String? {
            AccountEvent(change, of: ID("ada")).auditNotes[0]
                .coalescingKey(by: actor, at: Instant(seconds: 1_800_000_000), in: ID("demo"))
        }
        let one = key(.sessionRevoked(ID("s")), by: .user(.none))
        #expect(one != nil && one == key(.sessionRevoked(ID("t")), by: .user(.none)))
        let all = key(.sessionRevoked(nil), by: .user(.none))
        #expect(all != nil && all != one)
        #expect(key(.sessionRevoked(ID("s")), by: .commandLine) == nil)
        #expect(key(.passwordChanged, by: .user(.none)) == nil)
    }
}
