import API
import HTTP
import IPAddresses
import Identity
import Storage
import Testing

@testable import Gateway

/// A gateway that allows one client network three wrong passwords for an email address, and three sign-ups. It compares
/// passwords without hashing them, and records each check.
struct LimitedGateway: Sendable {
    /// The outcome of a request that a rate limit rejects.
    static let tooManyAttempts = "400 TOO_MANY_ATTEMPTS_TRY_LATER : Too many attempts. Try again later."
    /// The IP address of the client.
    static let clientAddress = "192.0.2.1"

    let gateway: TestGateway
    let passwordChecks = PasswordChecks()

    init(trustedProxies: [String] = [], change: @escaping (inout Policy) -> Void = { _ in }) async throws {
        gateway = try await TestGateway(
            passwords: .recording(passwordChecks), limitsRates: true,
            trustedProxies: trustedProxies.compactMap(IPNetwork.init)
        ) { policy in
            policy.passwordFailureLimit = 3
            policy.signUpLimit = 3
            change(&policy)
        }
    }

    /// Signs up with the password `secret1`.
    ///
    /// - Parameters:
    ///   - name: the local part of the email address.
    ///   - peer: the IP address of the client.
    func signUp(_ name: String = "ada", from peer: String = clientAddress) async throws -> Exchange {
        try await gateway.post(
            "/v1/accounts:signUp", ["email": .string("\(name)@example.com"), "password": "secret1"], from: peer)
    }

    /// - Parameters:
    ///   - name: the local part of the email address.
    ///   - peer: the IP address of the client or its proxy.
    ///   - hops: the value of `X-Forwarded-For`.
    ///   - gateway: for example a replica (default: ``gateway``).
    func signIn(
        _ name: String, _ password: String, from peer: String = clientAddress, via hops: String? = nil,
        at gateway: TestGateway? = nil
    ) async throws -> Exchange {
        try await (gateway ?? self.gateway).post(
            "/v1/accounts:signInWithPassword",
            ["email": .string("\(name)@example.com"), "password": .string(password)],
            headers: hops.map { ["X-Forwarded-For": $0] } ?? Headers(), from: peer)
    }

    /// Sends a sign-in with a wrong password. See ``signIn(_:_:from:via:at:)`` for the parameters.
    func tryWrongPassword(
        _ name: String = "ada", from peer: String = clientAddress, via hops: String? = nil,
        at gateway: TestGateway? = nil
    ) async throws -> Exchange {
        try await signIn(name, "wrong", from: peer, via: hops, at: gateway)
    }

    /// Tries a wrong password `count` times, and expects that the limit is not yet reached.
    func failSignIns(_ count: Int = 3, _ name: String = "ada", from peer: String = clientAddress) async throws {
        for _ in 0..<count {
            #expect(try await tryWrongPassword(name, from: peer).outcome == "400 INVALID_LOGIN_CREDENTIALS")
        }
    }
}

extension TestGateway {
    /// Shares this gateway's rate limit counts with the other replicas, and reads theirs.
    func synchronizeRateLimits() async throws {
        try await limits?.exchange(with: RateLimitCounterStore(pool: database.pool))
    }
}
