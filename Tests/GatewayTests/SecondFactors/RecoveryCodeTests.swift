import Identity
import Testing

@testable import Support

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private func codes(_ response: Exchange) throws -> [String] {
        try #require(response.json["recoveryCodes"], "\(response.text)").elements.compactMap(\.string)
    }

    @Test("A recovery code signs in once, is announced and counted, and works in every spelling")
    func use() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let codes = try codes(await gateway.generateRecoveryCodes(ada.idToken))
        #expect(Set(codes).count == 10)
        #expect(codes.allSatisfy { $0.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}/) != nil })
        for code in codes { #expect(try await gateway.tables(containing: code) == []) }
        let info = try await gateway.lookup(ada.idToken).json["users"]?[0]?["recoveryCodeInfo"]
        #expect(info?["remaining"] == 10)
        #expect(info?["createdAt"]?.string == gateway.clock.now.iso8601)
        let first = try await gateway.signIn()
        #expect(first.json["recoveryCodesAvailable"] == true)
        let spelled = codes[0].lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing(
            "1", with: "l")
        let done = try await gateway.finalizeSignIn(first, recoveryCode: spelled)
        let idToken = try #require(done.json["idToken"]?.string, "\(done.text)")
        let firebase = try claims(of: idToken)["firebase"]
        #expect(firebase?["sign_in_second_factor"] == "recovery_code")
        #expect(firebase?["second_factor_identifier"] == nil)
        #expect(try await gateway.lookup(idToken).json["users"]?[0]?["recoveryCodeInfo"]?["remaining"] == 9)
        #expect(try await gateway.emails(.recoveryCodeUsed).count == 1)
        #expect(try await gateway.auditTrail().map(\.action).contains("recoveryCode.used"))
        let again = try await gateway.finalizeSignIn(gateway.signIn(), recoveryCode: codes[0])
        #expect(again.outcome == "400 INVALID_CODE")
        // The session counts as one with a second factor.
        #expect(try await gateway.withdraw(ada.factor, idToken).status == 200)
    }

    @Test("New codes replace the old ones, and a code of another account does not work")
    func replacement() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let old = try codes(await gateway.generateRecoveryCodes(ada.idToken))
        _ = try await gateway.generateRecoveryCodes(ada.idToken)
        let eve = try await gateway.signUpEnrolled(email: "eve@example.com")
        let foreign = try codes(await gateway.generateRecoveryCodes(eve.idToken))
        for code in [old[0], foreign[0], "", "AAAAAA"] {
            let done = try await gateway.finalizeSignIn(gateway.signIn(), recoveryCode: code)
            #expect(done.outcome == (code.isEmpty ? "400 MISSING_CODE" : "400 INVALID_CODE"))
        }
    }

    @Test("The eleventh wrong code within an hour is not compared; right codes do not count")
    func guessing() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpEnrolled()
        let codes = try codes(await gateway.generateRecoveryCodes(ada.idToken))
        for code in codes.prefix(2) {
            #expect(try await gateway.finalizeSignIn(gateway.signIn(), recoveryCode: code).status == 200)
        }
        for number in 1...11 {
            let wrong = try await gateway.finalizeSignIn(
                gateway.signIn(), recoveryCode: "000000000000000000000000", from: "198.51.100.\(number)")
            #expect(wrong.wireCode == (number <= 10 ? "INVALID_CODE" : "TOO_MANY_ATTEMPTS_TRY_LATER"), "\(number)")
        }
        let stranger = try await gateway.finalizeSignIn(
            gateway.signIn(), recoveryCode: codes[2], from: "198.51.100.12")
        #expect(stranger.wireCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
        // The owner's network has a limit of its own.
        #expect(try await gateway.finalizeSignIn(gateway.signIn(), recoveryCode: codes[2]).status == 200)
        for number in 1...11 {
            let wrong = try await gateway.finalizeSignIn(gateway.signIn(), recoveryCode: codes[2])
            #expect(wrong.wireCode == (number <= 10 ? "INVALID_CODE" : "TOO_MANY_ATTEMPTS_TRY_LATER"), "\(number)")
        }
    }

    @Test("A text that cannot be a recovery code is not counted")
    func malformed() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpEnrolled()
        let codes = try codes(await gateway.generateRecoveryCodes(ada.idToken))
        let first = try await gateway.signIn()
        for text in Array(repeating: "123456", count: 11) + [String(codes[0].dropLast()), codes[0] + "A", "é"] {
            #expect(try await gateway.finalizeSignIn(first, recoveryCode: text).outcome == "400 INVALID_CODE")
        }
        #expect(try await gateway.finalizeSignIn(first, recoveryCode: codes[0]).status == 200)
    }

    @Test("Of two uses of a code at once, one signs in")
    func race() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let code = try codes(await gateway.generateRecoveryCodes(ada.idToken))[0]
        let pending = try await [gateway.signIn(), gateway.signIn()]
        async let one = gateway.finalizeSignIn(pending[0], recoveryCode: code)
        async let two = gateway.finalizeSignIn(pending[1], recoveryCode: code)
        let statuses = try await [one, two].map(\.status)
        #expect(statuses.sorted() == [200, 400])
    }
}
