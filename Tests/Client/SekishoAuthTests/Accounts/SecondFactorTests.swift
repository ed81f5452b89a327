import Foundation
import Identity
import Postgres
import SekishoAuth
import Testing

@testable import DevMode
@testable import Support

@Suite("Second factors and telephone numbers in apps")
struct SecondFactorTests {
    private static let number = "+15555550100"

    private static func app(recycledNumberAge: Duration = .zero) async throws -> TestApp {
        let gateway = try await TestGateway(transport: .socket, sms: TestGateway.sms) { policy in
            policy.emailEnumerationProtection = false
            policy.allowsPhoneNumbers = true
            policy.recycledNumberAge = recycledNumberAge
            policy.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true, allowsSMS: true)
        }
        return try await TestApp(gateway)
    }

    /// Signs up a user with a verified address.
    private static func signUp(_ app: TestApp) async throws -> SekishoAuth.User {
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        _ = try await app.gateway.database.pool.execute("UPDATE account SET email_verified = true")
        return user
    }

    private static func enrollNumber(_ user: SekishoAuth.User, _ app: TestApp, name: String? = "Work") async throws {
        let session = try await user.multiFactor.session()
        let id = try await PhoneAuthProvider.provider(auth: app.auth)
            .verifyPhoneNumber(number, multiFactorSession: session)
        let credential = try credential(id, app)
        try await user.multiFactor.enroll(
            with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: name)
    }

    private static func credential(_ verificationID: String, _ app: TestApp) throws -> PhoneAuthCredential {
        PhoneAuthProvider.provider(auth: app.auth).credential(
            withVerificationID: verificationID,
            verificationCode: try #require(app.gateway.code(of: verificationID)))
    }

    /// Proves the password, and returns the resolver of the second factor.
    private static func resolver(_ app: TestApp) async throws -> MultiFactorResolver {
        let error = await failure { try await app.auth.signIn(withEmail: "ada@example.com", password: "secret1") }
        #expect(error == .secondFactorRequired)
        let resolver = try #require(error?.multiFactorResolver)
        let bridged = (try #require(error) as NSError).userInfo[AuthErrorUserInfoMultiFactorResolverKey]
        #expect(bridged as? MultiFactorResolver === resolver)
        #expect(resolver.auth === app.auth)
        return resolver
    }

    @Test("A number is enrolled, asked for at the next sign-in, and withdrawn")
    func phone() async throws {
        let app = try await Self.app()
        let user = try await Self.signUp(app)
        try await Self.enrollNumber(user, app)
        let enrolled = try #require(user.multiFactor.enrolledFactors.first as? PhoneMultiFactorInfo)
        #expect(enrolled.phoneNumber == Self.number)
        #expect((enrolled.displayName, enrolled.factorID) == ("Work", PhoneMultiFactorID))
        #expect(try await user.getIDTokenResult().signInSecondFactor == "phone")
        try app.auth.signOut()

        let resolver = try await Self.resolver(app)
        #expect(app.auth.currentUser == nil)
        let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
        #expect(hint.uid == enrolled.uid)
        #expect(hint.phoneNumber == "+*******0100")
        let provider = PhoneAuthProvider.provider(auth: app.auth)
        let id = try await provider.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
        let wrong = provider.credential(withVerificationID: id, verificationCode: "x")
        let error = await failure {
            try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: wrong))
        }
        #expect(error == .invalidVerificationCode)
        let result = try await resolver.resolveSignIn(
            with: PhoneMultiFactorGenerator.assertion(with: try Self.credential(id, app)))
        #expect(app.auth.currentUser === result.user)
        #expect(result.additionalUserInfo?.providerID == "password")
        #expect(result.user.multiFactor.enrolledFactors == [enrolled])
        let again = await failure {
            try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: wrong))
        }
        #expect(again != nil)

        try await result.user.multiFactor.unenroll(with: enrolled)
        #expect(result.user.multiFactor.enrolledFactors.isEmpty)
        #expect(try await app.auth.signIn(withEmail: "ada@example.com", password: "secret1").user.uid == user.uid)
    }

    @Test("A user with a number and a one-time password signs in with either, or with a recovery code")
    func oneTimePassword() async throws {
        let app = try await Self.app()
        let user = try await Self.signUp(app)
        try await Self.enrollNumber(user, app)
        app.gateway.clock.advance(by: .seconds(1))
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
        #expect(
            secret.generateQRCodeURL(withAccountName: "ada@example.com", issuer: "My App")
                == "otpauth://totp/My%20App:ada%40example.com?secret=\(secret.sharedSecretKey())&issuer=My%20App"
                + "&algorithm=SHA1&digits=6&period=30")
        #expect(!String(reflecting: secret).contains(secret.sharedSecretKey()))
        let authenticator = try AuthenticatorApp(["sharedSecretKey": .string(secret.sharedSecretKey())])
        try await user.multiFactor.enroll(
            with: TOTPMultiFactorGenerator.assertionForEnrollment(
                with: secret, oneTimePassword: authenticator.code(at: app.gateway.clock.now)),
            displayName: "App")
        #expect(user.multiFactor.enrolledFactors.map(\.factorID) == ["phone", "totp"])
        let codes = try await user.multiFactor.generateRecoveryCodes()
        #expect(codes.count == 10)
        try app.auth.signOut()

        app.gateway.clock.advance(by: .seconds(30))
        let resolver = try await Self.resolver(app)
        #expect(resolver.recoveryCodesAvailable)
        #expect(resolver.hints[1] is TOTPMultiFactorInfo)
        let result = try await resolver.resolveSignIn(
            with: TOTPMultiFactorGenerator.assertionForSignIn(
                withEnrollmentID: resolver.hints[1].uid,
                oneTimePassword: authenticator.code(at: app.gateway.clock.now)))
        #expect(try await result.user.getIDTokenResult().signInSecondFactor == "totp")
        try app.auth.signOut()

        let recovered = try await Self.resolver(app).resolveSignIn(withRecoveryCode: codes[0])
        #expect(try await recovered.user.getIDTokenResult().signInSecondFactor == "recovery_code")
    }

    @Test("A reauthentication asks for the factor, and keeps the user")
    func reauthentication() async throws {
        let app = try await Self.app()
        let user = try await Self.signUp(app)
        try await Self.enrollNumber(user, app)
        app.gateway.clock.advance(by: .seconds(600))
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1")
        let error = await failure { try await user.reauthenticate(with: credential) }
        #expect(error == .secondFactorRequired)
        let resolver = try #require(error?.multiFactorResolver)
        let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
        let id = try await PhoneAuthProvider.provider(auth: app.auth)
            .verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
        let result = try await resolver.resolveSignIn(
            with: PhoneMultiFactorGenerator.assertion(with: try Self.credential(id, app)))
        #expect(result.user === user)
        try await user.updatePassword(to: "secret2")
    }

    @Test("A user signs in by number, changes it and unlinks it")
    func phoneSignIn() async throws {
        let app = try await Self.app()
        let provider = PhoneAuthProvider.provider(auth: app.auth)
        let id = try await provider.verifyPhoneNumber(Self.number)
        let result = try await app.auth.signIn(with: try Self.credential(id, app))
        #expect(result.additionalUserInfo?.isNewUser == true)
        #expect(result.user.phoneNumber == Self.number)
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1")
        let user = try await result.user.link(with: credential).user
        let other = try await provider.verifyPhoneNumber("+15555551100")
        try await user.updatePhoneNumber(try Self.credential(other, app))
        #expect(user.phoneNumber == "+15555551100")
        #expect(try await user.getIDTokenResult().signInProvider == "phone")
        #expect(try await user.unlink(fromProvider: PhoneAuthProviderID).phoneNumber == nil)
        let invalid = await failure { try await provider.verifyPhoneNumber("15555550100") }
        #expect(invalid == .invalidPhoneNumber)
    }

    @Test("The credential of a conflict signs in to the account that has the number")
    func conflict() async throws {
        let app = try await Self.app()
        let provider = PhoneAuthProvider.provider(auth: app.auth)
        let owner = try await app.auth.signIn(
            with: try Self.credential(provider.verifyPhoneNumber(Self.number), app)
        ).user
        let guest = try await {
            try app.auth.signOut()
            return try await app.auth.signInAnonymously().user
        }()
        let error = await failure {
            try await guest.link(with: Self.credential(provider.verifyPhoneNumber(Self.number), app))
        }
        #expect(error == .credentialAlreadyInUse)
        let credential = try #require(error?.updatedCredential as? PhoneAuthCredential)
        #expect(try await app.auth.signIn(with: credential).user.uid == owner.uid)
    }

    @Test("The new holder of a recycled number takes it over")
    func recycledNumber() async throws {
        let app = try await Self.app(recycledNumberAge: .seconds(90 * 86_400))
        let ada = try await Self.signUp(app)
        let proven = app.gateway.clock.now
        try await app.gateway.setPhoneNumber(Self.number, of: ada.uid, provenAt: proven)
        try app.auth.signOut()
        app.gateway.clock.advance(by: .seconds(91 * 86_400))
        let provider = PhoneAuthProvider.provider(auth: app.auth)
        let error = await failure {
            try await app.auth.signIn(with: Self.credential(provider.verifyPhoneNumber(Self.number), app))
        }
        guard error == .accountExistsWithDifferentCredential else {
            Issue.record("\(String(describing: error))")
            return
        }
        let credential = try #require(error?.updatedCredential as? PhoneAuthCredential)
        let user = try await app.auth.signIn(with: credential.takingOverNumber()).user
        #expect(user.uid != ada.uid)
        #expect(user.phoneNumber == Self.number)
    }

    @Test("Descriptions contain no code and no credential")
    func descriptions() async throws {
        let credential = PhoneAuthProvider.provider(auth: try await Self.app().auth).credential(
            withVerificationID: "verification", verificationCode: "123456")
        for value in [credential as Any, PhoneMultiFactorGenerator.assertion(with: credential)] {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(!text.contains("123456") && !text.contains("verification"), "\(text)")
        }
    }
}
