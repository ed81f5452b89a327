internal import CSystem
internal import Curl

/// One message on its way to the server, on a connection of its own.
final class Submission {
    private let handle: Handle
    private let fields = FieldList()
    private let recipients = FieldList()
    private let body: MessageBody
    private let cut: CancellationFlag
    private var step = Step.greeting

    /// - Parameter client: see ``SMTPClient``.
    init(
        _ message: Message, _ fields: MessageFields, to server: SubmissionServer, naming client: String,
        within deadline: Duration, unless cut: CancellationFlag
    ) throws(CurlFault) {
        handle = try Handle(
            protocols: "smtp,smtps", reach: server.encryption == .none ? .loopback : .everywhere, deadline: deadline,
            certificateAuthorities: server.certificateAuthorities, idleAge: .seconds(1))
        self.cut = cut
        body = try MessageBody(message, for: handle)
        for line in fields.lines { self.fields.append(line) }
        recipients.append(message.to)
        try connect(to: server, naming: client, within: deadline)
        try handle.set(CURLOPT_MAIL_FROM, message.from.address)
        try handle.check(shim_curl_set_recipients(handle.pointer, recipients.first))
        try handle.check(shim_curl_set_fields(handle.pointer, self.fields.first))
        try handle.check(shim_curl_set_mime(handle.pointer, body.root))
        watch()
    }

    /// Blocks for as long as the deadline allows, and as long again for the server's goodbye.
    func perform() -> DeliveryResult {
        let code = curl_easy_perform(handle.pointer)
        return DeliveryResult(code, after: step, status: handle.status)
    }

    private func connect(to server: SubmissionServer, naming client: String, within deadline: Duration)
        throws(CurlFault)
    {
        try handle.set(CURLOPT_URL, server.url(naming: client))
        // Left open, it would be closed by the library at its leisure, with a patience that is not ours.
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(deadline.components.seconds)))
        if server.encryption == .required { try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        guard let login = server.login else { return }
        try handle.set(CURLOPT_USERNAME, login.user)
        try handle.set(CURLOPT_PASSWORD, login.password)
    }

    private func watch() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        shim_curl_watch(handle.pointer, context) { _, kind, text, count, context in
            guard kind == CURLINFO_HEADER_OUT else { return 0 }
            submission(context)?.note(UnsafeRawBufferPointer(start: text, count: count))
            return 0
        }
        // About once a second, even while the library waits.
        shim_curl_allow_cut(handle.pointer, context) { context, _, _, _, _ in
            submission(context)?.cut.isMade == true ? 1 : 0
        }
    }

    /// Keeps nothing of what was said but how far it has come: there are passwords in it.
    private func note(_ line: UnsafeRawBufferPointer) {
        if let step = Step(sending: line) { self.step = step }
    }
}

private func submission(_ context: UnsafeMutableRawPointer?) -> Submission? {
    context.map { Unmanaged<Submission>.fromOpaque($0).takeUnretainedValue() }
}
