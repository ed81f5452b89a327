import CSystem
import Testing

@testable import SMTP

@Suite("A verdict on a message")
struct DeliveryResultTests {
    @Test(
        "is final only if the server refuses this recipient or this message for good",
        arguments: [
            (CURLE_OK, Step.message, 250, DeliveryResult.accepted),
            (CURLE_SEND_ERROR, .recipient, 550, .refusedForGood(.answered(status: 550, to: .recipient))),
            (CURLE_SEND_ERROR, .message, 554, .refusedForGood(.answered(status: 554, to: .message))),
            (CURLE_WEIRD_SERVER_REPLY, .message, 552, .refusedForGood(.answered(status: 552, to: .message))),
            (CURLE_SEND_ERROR, .recipient, 451, .refusedForNow(.answered(status: 451, to: .recipient))),
            (CURLE_SEND_ERROR, .sender, 553, .refusedForNow(.answered(status: 553, to: .sender))),
            (CURLE_WEIRD_SERVER_REPLY, .greeting, 554, .refusedForNow(.answered(status: 554, to: .greeting))),
            (CURLE_LOGIN_DENIED, .authentication, 535, .refusedForNow(.notAuthenticated(status: 535))),
            (CURLE_RECV_ERROR, .message, 354, .refusedForNow(.connectionLost)),
            (CURLE_USE_SSL_FAILED, .hello, 250, .refusedForNow(.tlsFailed)),
            (CURLE_PEER_FAILED_VERIFICATION, .encryption, 220, .refusedForNow(.tlsFailed)),
            (CURLE_COULDNT_CONNECT, .greeting, 0, .refusedForNow(.unreachable)),
            (CURLE_OPERATION_TIMEDOUT, .message, 550, .refusedForNow(.timedOut)),
        ])
    func judgement(code: CURLcode, step: Step, status: Int, expected: DeliveryResult) {
        #expect(DeliveryResult(code, after: step, status: status) == expected)
    }

    @Test(
        "goes by the last command, not by what merely looks like one",
        arguments: [
            ("EHLO localhost\r\n", Step.hello), ("HELO a\r\n", .hello), ("STARTTLS\r\n", .encryption),
            ("AUTH PLAIN\r\n", .authentication), ("MAIL FROM:<a@b>\r\n", .sender), ("RCPT TO:<a@b>\r\n", .recipient),
            ("DATA\r\n", .message), ("QUIT\r\n", nil), ("DATAbase64==\r\n", nil), ("DATA", nil), ("", nil),
        ])
    func step(line: String, expected: Step?) {
        #expect(Step(sending: Array(line.utf8)) == expected)
    }
}
