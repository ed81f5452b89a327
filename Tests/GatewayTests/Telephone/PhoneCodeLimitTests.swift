import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Limits on codes to telephone numbers")
struct PhoneCodeLimitTests {
    private static let number = "+15555550100"

    private static func count(_ table: SQL, in gateway: TestGateway) async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS count FROM \(table)")[0].decode("count")
    }

    @Test("The budgets of the project and of a calling code are exact over two replicas, and end with the day")
    func budget() async throws {
        var sms = TestGateway.sms
        (sms.budgetPerDay, sms.perCallingCode) = (20, ["1": 15, "81": 1000])
        let gateway = try await TestGateway.withPhoneNumbers(sms: sms)
        let replica = try gateway.replica()
        func send(_ prefix: String, _ count: Int) async throws -> Int {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<count {
                    let number = "\(prefix)\(55_500_000 + index * 1000)"
                    // Another network each, because the replica has rate limits.
                    group.addTask {
                        let sent = try await (index % 2 == 0 ? gateway : replica)
                            .sendCode(to: number, from: "10.\(index).0.1")
                        if !sent.isSuccess { #expect(sent.outcome == "400 QUOTA_EXCEEDED") }
                        return sent.isSuccess
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(try await send("+141", 25) == 15)
        #expect(try await send("+8190", 25) == 5)
        #expect(try await Self.count("outgoing_sms", in: gateway) == 20)
        gateway.clock.advance(by: .seconds(86_400))
        #expect(try await gateway.sendCode(to: Self.number).outcome == "200")
    }

    @Test("If fewer than a fifth of the last 50 codes were confirmed, the calling code pauses for an hour")
    func pause() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        for index in 0..<50 {
            let proof = try await gateway.phoneProof("+1415\(5_550_000 + index * 1000)")
            if index < 9 { #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200") }
        }
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.sendCode(to: Self.number).outcome == "400 QUOTA_EXCEEDED")
        #expect(try await gateway.sendCode(to: "+819012345678").outcome == "200")
        gateway.clock.advance(by: .seconds(3600))
        #expect(try await gateway.sendCode(to: Self.number).outcome == "200")
    }

    @Test("If a fifth of the last 50 codes were confirmed, the calling code does not pause")
    func noPause() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        for index in 0..<50 {
            let proof = try await gateway.phoneProof("+1415\(5_550_000 + index * 1000)")
            if index < 10 { #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200") }
        }
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.sendCode(to: Self.number).outcome == "200")
    }

    @Test("A number gets one code in 30 seconds, five in an hour and ten in a day")
    func numberLimits() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        #expect(try await gateway.sendCode(to: Self.number).outcome == "200")
        let again = try await gateway.sendCode(to: Self.number, from: "198.51.100.1")
        #expect(again.wireCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(again.headers["Retry-After"] != nil)
        var sent = 1
        for _ in 0..<24 {
            gateway.clock.advance(by: .seconds(600))
            sent += try await gateway.sendCode(to: Self.number).isSuccess ? 1 : 0
        }
        #expect((5...10).contains(sent))
    }

    @Test("A block of a thousand numbers gets ten codes in an hour")
    func blockLimit() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        var sent = 0
        for index in 0..<40 {
            let exchange = try await gateway.sendCode(to: "+14155550\(100 + index)", from: "10.\(index).0.1")
            sent += exchange.isSuccess ? 1 : 0
        }
        #expect(sent == 10)
    }

    @Test("A client address gets ten codes in ten minutes")
    func networkLimit() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        var sent = 0
        for index in 0..<20 {
            sent += try await gateway.sendCode(to: "+1415\(5_550_000 + index * 1000)").isSuccess ? 1 : 0
        }
        #expect(sent == 10)
    }

    @Test("After 20 wrong codes for a number in a day, no code is compared")
    func wrongCodes() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        var wrong = 0
        for _ in 0..<6 {
            let proof = try await gateway.phoneProof(Self.number)
            for _ in 0..<5 {
                let outcome = try await gateway.signInWithPhoneNumber(proof, ["code": "x"]).wireCode
                wrong += outcome == "INVALID_CODE" ? 1 : 0
            }
            gateway.clock.advance(by: .seconds(3600))
        }
        #expect(wrong <= 21)
        #expect(wrong >= 20)
    }

    @Test("All networks together have five attempts at each of the ten codes that a number gets in a day")
    func wrongCodesOfAllNetworks() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        var (sentCodes, compared) = (0, 0)
        for hour in 0..<24 {
            let sent = try await gateway.sendCode(to: Self.number, from: "10.\(hour).0.1")
            guard sent.isSuccess else { break }
            sentCodes += 1
            let proof: [String: JSON] = ["sessionInfo": sent.json["sessionInfo"] ?? .null, "code": "x"]
            for attempt in 0..<6 {
                let used = try await gateway.signInWithPhoneNumber(proof, from: "10.\(hour).\(attempt + 1).1")
                compared += used.wireCode == "INVALID_CODE" ? 1 : 0
            }
            gateway.clock.advance(by: .seconds(3600))
        }
        // The day of the limit can begin before the last of these codes.
        #expect((10...19).contains(sentCodes))
        #expect(compared == 5 * sentCodes)
    }

    @Test("Wrong codes from one network do not keep the owner of the number out in another")
    func wrongCodesElsewhere() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(limitsRates: true)
        for _ in 0..<5 {
            let proof = try await gateway.phoneProof(Self.number, from: "198.51.100.1")
            for _ in 0..<5 {
                _ = try await gateway.signInWithPhoneNumber(proof, ["code": "x"], from: "198.51.100.1")
            }
            gateway.clock.advance(by: .seconds(3600))
        }
        let proof = try await gateway.phoneProof(Self.number)
        #expect(
            try await gateway.signInWithPhoneNumber(proof, from: "198.51.100.2").wireCode
                == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200")
    }
}
