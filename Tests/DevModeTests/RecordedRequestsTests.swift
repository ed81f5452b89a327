import API
import HTTP
import Identity
import Testing

@testable import DevMode

@Suite("Recorded requests")
struct RecordedRequestsTests {
    private let requests = RecordedRequests(now: { Instant(seconds: 0) })

    private func record(_ path: String, body: String = "", accepting type: String = "*/*") {
        requests.record(
            ObservedRequest(
                Request(
                    id: "0", method: .post, path: path, headers: ["Accept": type], body: Array(body.utf8),
                    peer: "127.0.0.1"),
                Response(status: 400, body: Array(#"{"error":{"errorCode":"NOT_FOUND"}}"#.utf8))))
    }

    @Test("Only the newest 500 requests are kept")
    func count() {
        for number in 1...600 { record("/v1/\(number)") }
        #expect(requests.all.count == 500)
        #expect(requests.all.first?.path == "/v1/600")
        #expect(requests.request(number: 100) == nil)
        #expect(requests.request(number: 101)?.path == "/v1/101")
    }

    @Test("The texts of all requests take at most 8 MiB")
    func size() {
        let body =
            #"{"a":[\#(Array(repeating: #""\#(String(repeating: "x", count: 1000))""#, count: 30).joined(separator: ","))]}"#
        for number in 1...400 { record("/v1/\(number)", body: body) }
        let size = requests.all.reduce(0) { $0 + $1.size }
        #expect(size <= RecordedRequests.sizeLimit)
        #expect(size > RecordedRequests.sizeLimit / 2)
        #expect(requests.all.count < 400)
    }

    @Test(
        "Requests of the pages are not recorded",
        arguments: [
            ("/dev/requests", "*/*", false), ("/console/demo/accounts", "*/*", false), ("/", "text/html", false),
            ("/", "*/*", true), ("/docs/x", "*/*", true), ("/developers", "*/*", true),
            ("/v1/accounts:signUp", "text/html", true),
        ])
    func pages(path: String, type: String, isRecorded: Bool) {
        record(path, accepting: type)
        #expect(requests.all.count == (isRecorded ? 1 : 0))
    }

    @Test("The error code of a response is kept")
    func errorCode() {
        record("/v1/nothing")
        #expect(requests.all.first?.errorCode == "NOT_FOUND")
    }
}
