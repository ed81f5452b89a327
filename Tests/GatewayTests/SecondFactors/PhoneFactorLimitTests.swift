import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("Limits on codes as second factor")
struct PhoneFactorLimitTests {
    private static let number = "+15555550100"

    @Test("The second factors of an account get five codes in an hour, whichever number they go to")
    func factorLimit() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpVerified()
        let numbers = (0..<5).map { "+1555555\(2000 + $0 * 1000)" }
        let factors = numbers.map { JSON.object(["mfaEnrollmentId": .string($0), "phoneInfo": .string($0)]) }
        #expect(try await gateway.setFactors(factors, of: ada.localId).outcome == "200")
        var sent = 0
        for round in 0..<3 {
            for (index, number) in numbers.enumerated() {
                let peer = "10.\(round).\(index).1"
                let first = try await gateway.signIn()
                let started = try await gateway.post(
                    "/v2/accounts/mfaSignIn:start",
                    [
                        "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                        "mfaEnrollmentId": .string(number),
                    ], from: peer)
                sent += started.isSuccess ? 1 : 0
            }
            gateway.clock.advance(by: .seconds(600))
        }
        #expect(sent == 5)
    }

    @Test("An attacker's wrong codes for sign-ins by the number do not block it as a second factor")
    func stranger() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true) {
            // The gateway does not reveal to an attacker that the number is a second factor.
            $0.emailEnumerationProtection = true
        }
        // The attacker may even be in the owner's network.
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        for _ in 0..<4 {
            gateway.clock.advance(by: .seconds(3600))
            let proof = try await gateway.phoneProof(Self.number)
            for _ in 0..<5 {
                _ = try await gateway.signInWithPhoneNumber(proof, ["code": "x"])
            }
        }
        gateway.clock.advance(by: .seconds(3600))
        let blocked = try await gateway.phoneProof(Self.number)
        #expect(
            try await gateway.signInWithPhoneNumber(blocked).wireCode
                == "TOO_MANY_ATTEMPTS_TRY_LATER")
        gateway.clock.advance(by: .seconds(3600))
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("Codes that a stranger requests for a number and its block do not use up those for its second factor")
    func strangersCodes() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true) {
            $0.emailEnumerationProtection = true
        }
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        gateway.clock.advance(by: .seconds(600))
        for index in 0..<12 {
            let number = index == 0 ? Self.number : "+15555550\(101 + index)"
            _ = try await gateway.sendCode(to: number, from: "198.51.100.\(index + 1)")
        }
        #expect(
            try await gateway.sendCode(to: "+15555550199", from: "203.0.113.1").wireCode
                == "TOO_MANY_ATTEMPTS_TRY_LATER")
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("Codes that a thief of the password requests do not use up those of the owner's network")
    func thief() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        var outcome = "sent"
        for network in 1...20 where outcome == "sent" {
            gateway.clock.advance(by: .seconds(400))
            let peer = "198.51.\(network).1"
            let first = try await gateway.post(
                "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"], from: peer)
            let started = try await gateway.post(
                "/v2/accounts/mfaSignIn:start",
                [
                    "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                    "mfaEnrollmentId": first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
                ], from: peer)
            outcome = started.wireCode ?? "sent"
        }
        #expect(outcome == "TOO_MANY_ATTEMPTS_TRY_LATER")
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("A disabled account gets no code")
    func disabled() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let first = try await gateway.signIn()
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now() WHERE id = \(ada.localId)")
        let factor = first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
        #expect(try await gateway.startSecondFactor(first, factor).outcome == "400 USER_DISABLED")
        let sent = try await gateway.database.pool.query(
            "SELECT count(*)::int AS count FROM phone_code WHERE purpose = 'MULTI_FACTOR_SIGN_IN'")
        #expect(try sent[0].decode("count", as: Int.self) == 0)
    }

    @Test("A fifth of each budget is kept for codes as second factor, unless the project has no second factors")
    func reservedBudget() async throws {
        for (state, sentCodes) in [(SecondFactorPolicy.State.enabled, 8), (.disabled, 10)] {
            var sms = TestGateway.sms
            (sms.budgetPerDay, sms.perCallingCode) = (12, ["1": 10])
            let gateway = try await TestGateway.withPhoneNumbers(sms: sms) {
                $0.secondFactors = SecondFactorPolicy(state: state, allowsSMS: true)
            }
            try await gateway.makeServiceKey()
            let ada = try await gateway.signUpVerified()
            let set = try await gateway.setFactors(
                [["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)]], of: ada.localId)
            #expect(set.outcome == "200")
            var sent = 0
            for index in 0..<12 {
                sent += try await gateway.sendCode(to: "+1415\(5_550_000 + index * 1000)").isSuccess ? 1 : 0
            }
            #expect(sent == sentCodes)
            guard state == .enabled else { continue }
            for _ in 0..<2 { _ = try await gateway.signInWithPhoneFactor() }
            #expect(try await gateway.startSecondFactor(gateway.signIn(), "a").outcome == "400 QUOTA_EXCEEDED")
        }
    }

    @Test("A pause because of strangers' codes does not stop codes as second factor")
    func pause() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        for index in 0..<50 { _ = try await gateway.sendCode(to: "+1415\(5_550_000 + index * 1000)") }
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.sendCode(to: "+14155550100").outcome == "400 QUOTA_EXCEEDED")
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("Codes of a deleted account still count for the pause, and are accepted for nothing")
    func deletedAccount() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        var sessionInfo: JSON?
        for index in 0..<50 {
            let started = try await gateway.post(
                "/v2/accounts/mfaEnrollment:start",
                [
                    "idToken": .string(ada.idToken),
                    "phoneEnrollmentInfo": ["phoneNumber": .string("+1415\(5_550_000 + index * 1000)")],
                ])
            sessionInfo = started.json["phoneSessionInfo"]?["sessionInfo"]
        }
        let code = try #require(gateway.code(of: sessionInfo?.string ?? ""))
        #expect(try await gateway.post("/v1/accounts:delete", ["idToken": .string(ada.idToken)]).outcome == "200")
        let used = try await gateway.signInWithPhoneNumber(
            ["sessionInfo": sessionInfo ?? .null, "code": .string(code)])
        #expect(used.outcome == "400 INVALID_SESSION_INFO")
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.sendCode(to: Self.number).outcome == "400 QUOTA_EXCEEDED")
    }
}
