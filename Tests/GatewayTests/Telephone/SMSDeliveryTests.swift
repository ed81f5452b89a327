import Crypto
import Encoding
import Identity
import Postgres
import Storage
import Synchronization
import Telemetry
import Testing
import Tokens
import Webhooks

@testable import Gateway
@testable import HTTP
@testable import Support

@Suite("Delivery of text messages to the operator's sender")
struct SMSDeliveryTests {
    private static let number = "+15555550100"
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// A sender that records requests, and answers them one after the other; the last answer repeats.
    private final class Sender: Sendable {
        let requests = Mutex<[ClientRequest]>([])
        private let answers: [Result<Int, ClientFault>]

        init(_ answers: [Result<Int, ClientFault>]) {
            self.answers = answers
        }

        func send(_ request: ClientRequest) throws -> ClientResponse {
            let index = requests.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            return ClientResponse(
                status: try answers[min(index, answers.count - 1)].get(), headers: Headers(), body: [])
        }

        var count: Int { requests.withLock { $0.count } }
    }

    private static func worker(_ gateway: TestGateway, _ sender: Sender) -> SMSWorkers {
        worker(gateway, SMSSender(SignedCall(egress: .publicAddresses) { try sender.send($0) }))
    }

    private static func worker(_ gateway: TestGateway, _ sender: SMSSender) -> SMSWorkers {
        SMSWorkers(
            on: gateway.database.pool, supporting: gateway.realm.project.supportedProviders,
            sender: sender,
            open: PhoneCodeSecrets.opening(under: gateway.masterKeys),
            openSecret: SecretEncryption.openingSMS(under: gateway.masterKeys), clock: gateway.clock.wallClock,
            log: Log(level: .error, descriptor: 2), metrics: Metrics())
    }

    /// Sends what is due every second for `seconds`.
    private static func run(_ worker: SMSWorkers, _ gateway: TestGateway, seconds: Int) async throws {
        for _ in 0..<seconds {
            try await worker.sendDue()
            gateway.clock.advance(by: .seconds(1))
        }
    }

    private static func failures(_ gateway: TestGateway) async throws -> [String] {
        try await gateway.database.pool.query(
            "SELECT failure FROM outgoing_sms WHERE failed_at IS NOT NULL AND content IS NULL"
        ).map { try $0.decode("failure") }
    }

    private static func waiting(_ gateway: TestGateway) async throws -> Int {
        try await gateway.database.pool.query(
            "SELECT count(*)::int AS count FROM outgoing_sms WHERE failed_at IS NULL")[0].decode("count")
    }

    @Test("A webhook gets the message once, signed with each secret")
    func webhook() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let key = try await ServiceKey(in: gateway)
        let second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
        let changed = try await gateway.send(
            .patch, "/v2/projects/demo/config", ["sms": ["secret": .string("\(Self.secret) \(second)")]], by: key,
            query: [("updateMask", "sms.secret")])
        #expect(changed.outcome == "200")
        #expect(changed.json["sms"]?["isSecretStored"] == true)
        #expect(changed.text.contains("whsec_") == false)
        let proof = try await gateway.phoneProof(Self.number)
        let sender = Sender([.success(204)])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 60)
        #expect(sender.count == 1)
        let request = try #require(sender.requests.withLock { $0.first })
        #expect(request.url == "https://sms.example.com/send")
        #expect(request.deadline == .seconds(10))
        let id = try #require(request.headers["webhook-id"])
        let time = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
        let secrets = [Self.secret, second].compactMap { WebhookSecret($0) }
        #expect(
            request.headers["webhook-signature"]
                == WebhookSignature(of: request.body, id: id, at: time, secrets: secrets).signatures)
        let body = try JSON(request.body)
        #expect(body["type"] == "sms.code")
        #expect(body["data"]?["code"] == proof["code"])
        #expect(body["data"]?["phoneNumber"] == .string(Self.number))
        #expect(body["data"]?["projectId"] == "demo")
        #expect(try await Self.waiting(gateway) == 0)
    }

    @Test(
        "A webhook is tried at most three times within 60 seconds, with one ID",
        arguments: [.success(500), .success(503), .success(408), .success(429), .failure(.timedOut)]
            as [Result<Int, ClientFault>])
    func retries(answer: Result<Int, ClientFault>) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        _ = try await gateway.phoneProof(Self.number)
        let sender = Sender([answer])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 60)
        #expect(sender.count == 3)
        #expect(Set(sender.requests.withLock { $0.map { $0.headers["webhook-id"] } }).count == 1)
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 120)
        #expect(sender.count == 3)
        #expect(try await Self.failures(gateway).count == 1)
    }

    @Test(
        "A redirect, another error and a private address are not retried",
        arguments: [.success(302), .success(400), .success(410), .failure(.destinationNotAllowed)]
            as [Result<Int, ClientFault>])
    func permanent(answer: Result<Int, ClientFault>) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        _ = try await gateway.phoneProof(Self.number)
        let sender = Sender([answer])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 130)
        #expect(sender.count == 1)
        #expect(try await Self.failures(gateway).count == 1)
    }

    @Test("A message that fails and then succeeds is delivered, and nothing is sent two minutes after the request")
    func laterSuccess() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        _ = try await gateway.phoneProof(Self.number)
        let sender = Sender([.success(500), .success(200)])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 60)
        #expect(sender.count == 2)
        #expect(try await Self.waiting(gateway) == 0)
        _ = try await gateway.phoneProof("+15555551101")
        gateway.clock.advance(by: .seconds(121))
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 5)
        #expect(sender.count == 2)
        #expect(try await Self.failures(gateway) == ["not sent in time"])
    }

    @Test("A slow sender with many messages does not delay the messages of another project")
    func slowSender() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        for index in 0..<40 { _ = try await gateway.phoneProof("+1415555\(1000 + index)") }
        try await gateway.makeOtherProject(apiKey: "pk_quick") {
            $0.realm.project.sms = TestGateway.sms
            $0.realm.policy.allowsPhoneNumbers = true
        }
        let received = Mutex<[String]>([])
        let release = Mutex(false)
        let sender = SMSSender(
            SignedCall(egress: .publicAddresses) { request in
                let body = String(decoding: request.body, as: UTF8.self)
                received.withLock { $0.append(body) }
                while body.contains("+1415555"), !release.withLock({ $0 }) {
                    try await Task.sleep(for: .milliseconds(20))
                }
                return ClientResponse(status: 200, headers: Headers(), body: [])
            })
        let worker = Self.worker(gateway, sender)
        let sending = Task { try await worker.sendDue() }
        while received.withLock({ $0.count }) < 8 { try await Task.sleep(for: .milliseconds(20)) }
        let number = "+819012345678"
        let sent = try await gateway.post(
            "/v1/accounts:sendVerificationCode", ["phoneNumber": .string(number)], key: "pk_quick")
        #expect(sent.outcome == "200")
        let start = ContinuousClock.now
        while !received.withLock({ $0.contains { $0.contains(number) } }) {
            guard start.duration(to: .now) < .seconds(20) else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(received.withLock { $0.contains { $0.contains(number) } })
        // The slow project has at most 15 requests in flight.
        #expect(received.withLock { $0.count } <= 16)
        release.withLock { $0 = true }
        try await sending.value
        #expect(try await Self.waiting(gateway) == 0)
        #expect(received.withLock { $0.count } == 41)
    }

    private static func form() -> SMSSettings {
        var sms = TestGateway.sms
        (sms.format, sms.username) = (.form, "account")
        sms.fields = ["To": "{number}", "Body": "{text}", "Tag": "a&b={code}{locale}"]
        return sms
    }

    @Test("A form has the fields with the values encoded after they are inserted, and Basic authentication")
    func formFields() async throws {
        let gateway = try await TestGateway.withPhoneNumbers(sms: Self.form())
        let code = try #require(try await gateway.phoneProof(Self.number)["code"]?.string)
        let sender = Sender([.success(201)])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 2)
        let request = try #require(sender.requests.withLock { $0.first })
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body.contains("To=%2B15555550100"))
        #expect(body.contains("Tag=a%26b%3D\(code)en"))
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["authorization"] == "Basic YWNjb3VudDo=")
        #expect(request.headers["webhook-signature"] == nil)
    }

    @Test(
        "A form is repeated only after 429 and if no connection was opened, never after a lost response",
        arguments: [
            (.success(429), 3), (.failure(.unreachable), 3), (.failure(.unknownHost), 3), (.success(500), 1),
            (.failure(.timedOut), 1), (.failure(.connectionLost), 1),
        ] as [(Result<Int, ClientFault>, Int)])
    func formRetries(answer: Result<Int, ClientFault>, count: Int) async throws {
        let gateway = try await TestGateway.withPhoneNumbers(sms: Self.form())
        _ = try await gateway.phoneProof(Self.number)
        let sender = Sender([answer])
        try await Self.run(Self.worker(gateway, sender), gateway, seconds: 130)
        #expect(sender.count == count)
    }

    @Test("A form whose worker ended during the request is not sent again; a webhook is, after the lease")
    func crash() async throws {
        for (sms, count) in [(Self.form(), 0), (TestGateway.sms, 1)] {
            let gateway = try await TestGateway.withPhoneNumbers(sms: sms)
            _ = try await gateway.phoneProof(Self.number)
            let claimed = try await PostgresSMSQueue(pool: gateway.database.pool)
                .claim(limit: 1, lease: .seconds(20), at: gateway.clock.now)
            #expect(claimed.count == 1)
            let sender = Sender([.success(200)])
            try await Self.run(Self.worker(gateway, sender), gateway, seconds: 130)
            #expect(sender.count == count)
        }
    }
}
