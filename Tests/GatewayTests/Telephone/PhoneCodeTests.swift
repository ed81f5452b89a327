import Crypto
import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing
import Tokens

@testable import Gateway
@testable import Support

@Suite("Codes to telephone numbers")
struct PhoneCodeTests {
    private static let number = "+15555550100"

    private static func count(_ table: SQL, in gateway: TestGateway) async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS count FROM \(table)")[0].decode("count")
    }

    @Test("A code and its message are stored together, without the code in the clear")
    func queued() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let proof = try await gateway.phoneProof(Self.number)
        let code = try #require(proof["code"]?.string)
        #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
        let rows = try await gateway.database.pool.query("SELECT id, content, is_idempotent FROM outgoing_sms")
        #expect(rows.count == 1)
        let dump = try await gateway.database.pool.query(
            "SELECT c::text || m::text AS text FROM phone_code c, outgoing_sms m")
        #expect(try dump[0].decode("text", as: String.self).contains(code) == false)
        let claimed = try await PostgresSMSQueue(pool: gateway.database.pool)
            .claim(limit: 10, lease: .seconds(20), at: gateway.clock.now)
        let content = try PhoneCodeSecrets.opening(under: gateway.masterKeys)(claimed[0].content, claimed[0].id)
        #expect(content.phoneNumber == Self.number)
        #expect(content.purpose == "SIGN_IN_OR_SIGN_UP")
        #expect(
            content.text
                == "\(code) is your verification code. Do not share it with anyone.\n\n@auth.example.com #\(code)")
    }

    @Test("Without a sender, no code is sent")
    func noSender() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(sms: SMSSettings(allowedCallingCodes: ["1"]))
        #expect(try await gateway.sendCode(to: Self.number).wireCode == "OPERATION_NOT_ALLOWED")
        #expect(try await Self.count("phone_code", in: gateway) == 0)
    }

    @Test(
        "Codes go to allowed calling codes only: not to other countries in +1, and not to satellites",
        arguments: [
            ("+14155550100", true), ("+819012345678", true), ("+14165550100", true), ("+18765550100", false),
            ("+12425550100", false), ("+17875550100", false), ("+4915123456789", false), ("+881612345678", false),
            ("+8701234567890", false), ("+9791234567890", false), ("+999123456789", false), ("+76012345678", false),
            // North American numbers without a place: personal, Canadian services, government, toll-free, premium.
            ("+15005550100", false), ("+15335550100", false), ("+15775550100", false), ("+16005550100", false),
            ("+16225550100", false), ("+17005550100", false), ("+17105550100", false), ("+18005550100", false),
            ("+18885550100", false), ("+19005550100", false), ("+19025550100", true),
        ])
    func callingCodes(number: String, isAllowed: Bool) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        #expect(
            try await gateway.sendCode(to: number).outcome
                == (isAllowed
                    ? "200"
                    : "400 OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer.")
        )
    }

    @Test(
        "British numbers without a place need an entry of their own, and the Isle of Man its region",
        arguments: [
            ("+447400123456", true), ("+442071234567", true), ("+443001234567", false), ("+445512345678", false),
            ("+447012345678", false), ("+447640123456", false), ("+448001234567", false), ("+448712345678", false),
            ("+449012345678", false), ("+447624123456", false), ("+441481234567", false),
        ])
    func britishNumbers(number: String, isAllowed: Bool) async throws {
        let sms = SMSSettings(url: "https://sms.example.com/send", allowedCallingCodes: ["44"])
        let gateway = try await TestGateway.withPhoneNumbers(sms: sms)
        #expect(try await gateway.sendCode(to: number).isSuccess == isAllowed)
    }

    @Test(
        "A number is read as people write it, except with a digit that is dialled in one country only",
        arguments: [
            ("+1 555 555-0100", true), ("+1.555.555/0100", true), ("+1\u{A0}(555) 5550100", true),
            ("+44 (0)20 7123 4567", false), ("+44 (0) 20 7123 4567", false), ("+44 ( 0 ) 20 7123 4567", false),
            ("+44 (\u{A0}0) 20 7123 4567", false), ("+44 (-0-) 20 7123 4567", false), ("+44(0\u{A0})2071234567", false),
            ("1 555 555 0100", false), ("+0 555 555 0100", false), ("+1 555 FLOWERS", false), ("+١٥٥٥٥٥٥٠١٠٠", false),
        ])
    func written(text: String, isAccepted: Bool) async throws {
        let sms = SMSSettings(url: "https://sms.example.com/send", allowedCallingCodes: ["1", "44"])
        let gateway = try await TestGateway.withPhoneNumbers(sms: sms)
        let outcome = try await gateway.sendCode(to: text).outcome
        #expect(outcome == (isAccepted ? "200" : "400 INVALID_PHONE_NUMBER : Invalid format."))
    }

    @Test("By default, no calling code is allowed")
    func defaultIsNone() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(sms: SMSSettings(url: "https://sms.example.com/send"))
        #expect(try await gateway.sendCode(to: Self.number).wireCode == "OPERATION_NOT_ALLOWED")
    }

    @Test("Known, unknown, disabled and enrolled numbers get the same answer with enumeration protection")
    func enumeration() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.emailEnumerationProtection = true }
        _ = try await gateway.signIn(phoneNumber: Self.number)
        let disabled = try await gateway.signIn(phoneNumber: "+15555551101")
        let localId = try #require(disabled.json["localId"]?.string)
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now() WHERE id = \(localId)")
        for number in [Self.number, "+15555551101", "+15555552102"] {
            let sent = try await gateway.sendCode(to: number)
            #expect(sent.outcome == "200")
            #expect(sent.json.keys.sorted() == ["sessionInfo"])
            #expect(sent.json["sessionInfo"]?.string?.utf8.count == 43)
        }
    }

    @Test("A code of one realm or purpose is unknown in another")
    func otherRealm() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let proof = try await gateway.phoneProof(Self.number)
        for change: SQL in ["realm_id = 'other'", "phone_number = '+15555550199'", "code_hash = sha256('x')"] {
            let copy = try await gateway.phoneProof("+14155\(Int.random(in: 500_000...599_999))")
            _ = try await gateway.database.pool.execute(
                "UPDATE phone_code SET \(change) WHERE confirmed_at IS NULL AND phone_number LIKE '+14155%'")
            #expect(try await gateway.signInWithPhoneNumber(copy).outcome.hasPrefix("400 INVALID_"))
        }
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200")
    }

    @Test("A test number has a fixed code and no message, and signs in only to accounts without another method")
    func testNumbers() async throws {
        var sms = TestGateway.sms
        sms.testNumbers = [ByteText(Self.number): "123456"]
        let gateway = try await TestGateway.withPhoneNumbers(sms: sms)
        let sent = try await gateway.sendCode(to: Self.number)
        let proof: [String: JSON] = ["sessionInfo": sent.json["sessionInfo"] ?? .null, "code": "123456"]
        #expect(try await Self.count("outgoing_sms", in: gateway) == 0)
        let ada = try await gateway.signUpVerified()
        #expect(
            try await gateway.signInWithPhoneNumber(proof, ["idToken": .string(ada.idToken)]).wireCode
                == "OPERATION_NOT_ALLOWED")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200")
        let again = try await gateway.sendCode(to: Self.number)
        try await gateway.setPhoneNumber("+15555550111", of: ada.localId)
        _ = try await gateway.database.pool.execute(
            "UPDATE account SET phone_number = NULL WHERE phone_number = \(Self.number)")
        try await gateway.setPhoneNumber(Self.number, of: ada.localId)
        #expect(
            try await gateway.signInWithPhoneNumber(
                ["sessionInfo": again.json["sessionInfo"] ?? .null, "code": "123456"]
            ).wireCode == "OPERATION_NOT_ALLOWED")
    }

    @Test("Messages and senders' secrets are encrypted again under a new master key")
    func reencryption() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        _ = try await gateway.phoneProof(Self.number)
        let keys = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        _ = try await Reencryption.run(on: gateway.database.pool, under: keys)
        let claimed = try await PostgresSMSQueue(pool: gateway.database.pool)
            .claim(limit: 10, lease: .seconds(20), at: gateway.clock.now)
        let newKeys = try MasterKeys(current: TestGateway.newMasterKey)
        #expect(
            try PhoneCodeSecrets.opening(under: newKeys)(claimed[0].content, claimed[0].id).phoneNumber == Self.number)
    }
}
