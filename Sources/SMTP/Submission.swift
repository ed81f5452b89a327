internal import CSystem
internal import Curl

/// One message on its way to the server.
final class Submission: Transfer {
    let id: UInt64
    let handle: Handle
    let deadline: Duration
    var continuation: CheckedContinuation<Verdict, Never>?
    private let fields = FieldList()
    private let recipients = FieldList()
    private let body: MessageBody
    private var step = Step.greeting

    /// - Parameter client: see ``Relay``.
    init(
        _ message: Message, _ fields: MessageFields, id: UInt64, to server: SubmissionServer, naming client: String,
        within deadline: Duration
    ) throws(CurlFault) {
        handle = try Handle(
            protocols: "smtp,smtps", reach: server.encryption == .none ? .loopback : .everywhere, deadline: deadline,
            certificateAuthorities: server.certificateAuthorities, idleAge: .seconds(30))
        self.id = id
        self.deadline = deadline
        body = try MessageBody(message, for: handle)
        for line in fields.lines { self.fields.append(line) }
        recipients.append(message.to)
        try connect(to: server, naming: client)
        try handle.set(CURLOPT_MAIL_FROM, message.from.address)
        try handle.check(shim_curl_set_recipients(handle.pointer, recipients.first))
        try handle.check(shim_curl_set_fields(handle.pointer, self.fields.first))
        try handle.check(shim_curl_set_mime(handle.pointer, body.root))
        shim_curl_watch(handle.pointer, Unmanaged.passUnretained(self).toOpaque()) { _, kind, text, count, context in
            guard kind == CURLINFO_HEADER_OUT, let context else { return 0 }
            Unmanaged<Submission>.fromOpaque(context).takeUnretainedValue()
                .note(UnsafeRawBufferPointer(start: text, count: count))
            return 0
        }
    }

    func end(_ end: TransferEnd) {
        let verdict =
            switch end {
            case .done(let code): Verdict(code, after: step, status: handle.status)
            case .timedOut: Verdict.refusedForNow(.timedOut)
            case .cancelled, .closed: Verdict.refusedForNow(.closed)
            }
        continuation?.resume(returning: verdict)
        continuation = nil
    }

    private func connect(to server: SubmissionServer, naming client: String) throws(CurlFault) {
        try handle.set(CURLOPT_URL, server.url(naming: client))
        if server.encryption == .required { try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        guard let login = server.login else { return }
        try handle.set(CURLOPT_USERNAME, login.user)
        try handle.set(CURLOPT_PASSWORD, login.password)
    }

    /// Keeps nothing of what was said but how far it has come: there are passwords in it.
    private func note(_ line: UnsafeRawBufferPointer) {
        if let step = Step(sending: line) { self.step = step }
    }
}
