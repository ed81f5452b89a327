import HTTP
import Identity
import Pages
import Testing

@testable import API

@Suite("Endpoints")
struct EndpointTests {
    @Test("Operation IDs are unique, and so are pairs of method and path")
    func endpointsAreDistinct() {
        #expect(Set(Endpoint.all.map(\.operationID)).count == Endpoint.all.count)
        #expect(Set(Endpoint.all.map { "\($0.method) \($0.path)" }).count == Endpoint.all.count)
    }

    @Test(
        "The page about a rate limit states the minutes to wait, rounded up",
        arguments: [(1, "Wait 1 minute"), (60, "Wait 1 minute"), (61, "Wait 2 minutes")])
    func tooManyAttempts(seconds: Int, text: String) {
        let refusal = TooManyAttempts(retryAfter: .seconds(seconds))
        let page = PageResponse(refusal, of: ID("demo"), Page.Context(language: .english, projectName: nil))
        #expect(page.response.status == 429)
        #expect(page.response.headers["Retry-After"] == String(seconds))
        #expect(String(decoding: page.response.body, as: UTF8.self).contains(text))
        #expect(page.refusalCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
    }
}
