internal import CSystem
internal import Curl

/// The delivery of one message, on its own connection.
final class Submission {
    private let handle: Handle
    private let fields: LineList
    private let recipients: LineList
    private let body: MessageBody
    private let cancellation: CancellationFlag
    private var step = Step.greeting

    /// - Parameter clientName: see ``SMTPClient``.
    init(
        _ message: Message, _ fields: MessageFields, to server: SubmissionServer, clientName: String,
        within deadline: Duration, cancelledBy cancellation: CancellationFlag
    ) throws(CurlFault) {
        handle = try Handle(
            protocols: "smtp,smtps", egress: server.encryption == .none ? .loopback : .everywhere, deadline: deadline,
            certificateAuthorities: server.certificateAuthorities,
            maximumIdleTime: .seconds(1))  // without effect: no connection is reused
        self.cancellation = cancellation
        body = try MessageBody(message, for: handle)
        self.fields = try LineList(fields.lines)
        recipients = try LineList([message.to])
        try connect(to: server, clientName: clientName, within: deadline)
        try handle.set(CURLOPT_MAIL_FROM, message.from.address)
        try handle.check(shim_curl_set_recipients(handle.pointer, recipients.first))
        try handle.check(shim_curl_set_fields(handle.pointer, self.fields.first))
        try handle.check(shim_curl_set_mime(handle.pointer, body.root))
        installCallbacks()
    }

    /// Delivers the message. Blocks at most until the deadline, and then as long again for the reply to `QUIT`.
    func perform() -> DeliveryResult {
        let code = curl_easy_perform(handle.pointer)
        return DeliveryResult(code, after: step, status: handle.status)
    }

    private func connect(to server: SubmissionServer, clientName: String, within deadline: Duration)
        throws(CurlFault)
    {
        try handle.set(CURLOPT_URL, server.url(clientName: clientName))
        // Otherwise libcurl would keep the connection and close it later, with a timeout that cannot be configured.
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(deadline.components.seconds)))
        if server.encryption == .startTLS { try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        guard let login = server.login else { return }
        try handle.set(CURLOPT_USERNAME, login.user)
        try handle.set(CURLOPT_PASSWORD, login.password)
    }

    private func installCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        shim_curl_observe(handle.pointer, context) { _, kind, text, count, context in
            guard kind == CURLINFO_HEADER_OUT else { return 0 }
            submission(context)?.recordStep(UnsafeRawBufferPointer(start: text, count: count))
            return 0
        }
        // libcurl calls this closure about once a second, even while it waits.
        shim_curl_allow_cancellation(handle.pointer, context) { context, _, _, _, _ in
            submission(context)?.cancellation.isSet == true ? 1 : 0
        }
    }

    /// Records the step of a line that the client sends, and nothing else, because the dialogue contains passwords.
    private func recordStep(_ line: UnsafeRawBufferPointer) {
        if let step = Step(sending: line) { self.step = step }
    }
}

private func submission(_ context: UnsafeMutableRawPointer?) -> Submission? {
    context.map { Unmanaged<Submission>.fromOpaque($0).takeUnretainedValue() }
}
