import CSystem
import Testing

@testable import SMTP

@Suite("Delivery results")
struct DeliveryResultTests {
    @Test(
        "A failure is permanent only if the server rejects this recipient or this message with 5xx",
        arguments: [
            (CURLE_OK, Step.message, 250, DeliveryResult.accepted),
            (CURLE_SEND_ERROR, .recipient, 550, .permanent(.rejected(status: 550, to: .recipient))),
            (CURLE_SEND_ERROR, .message, 554, .permanent(.rejected(status: 554, to: .message))),
            (CURLE_WEIRD_SERVER_REPLY, .message, 552, .permanent(.rejected(status: 552, to: .message))),
            (CURLE_SEND_ERROR, .recipient, 451, .transient(.rejected(status: 451, to: .recipient))),
            (CURLE_SEND_ERROR, .sender, 553, .transient(.rejected(status: 553, to: .sender))),
            (CURLE_WEIRD_SERVER_REPLY, .greeting, 554, .transient(.rejected(status: 554, to: .greeting))),
            (CURLE_LOGIN_DENIED, .authentication, 535, .transient(.notAuthenticated(status: 535))),
            (CURLE_RECV_ERROR, .message, 354, .transient(.connectionLost)),
            (CURLE_USE_SSL_FAILED, .hello, 250, .transient(.tlsFailed)),
            (CURLE_PEER_FAILED_VERIFICATION, .encryption, 220, .transient(.tlsFailed)),
            (CURLE_COULDNT_CONNECT, .greeting, 0, .transient(.unreachable)),
            (CURLE_OPERATION_TIMEDOUT, .message, 550, .transient(.timedOut)),
        ])
    func result(code: CURLcode, step: Step, status: Int, expected: DeliveryResult) {
        #expect(DeliveryResult(code, after: step, status: status) == expected)
    }

    @Test(
        "A step is identified by the complete line of its SMTP command",
        arguments: [
            ("EHLO localhost\r\n", Step.hello), ("HELO a\r\n", .hello), ("STARTTLS\r\n", .encryption),
            ("AUTH PLAIN\r\n", .authentication), ("MAIL FROM:<a@b>\r\n", .sender), ("RCPT TO:<a@b>\r\n", .recipient),
            ("DATA\r\n", .message), ("QUIT\r\n", nil), ("DATAbase64==\r\n", nil), ("DATA", nil), ("", nil),
        ])
    func step(line: String, expected: Step?) {
        #expect(Step(sending: Array(line.utf8)) == expected)
    }
}
