import CSystem
import Testing

@testable import HTTP

@Suite("Header lists")
struct HeaderListTests {
    @Test("If memory is exhausted, a request is rejected instead of being sent without a header field")
    func outOfMemory() async {
        await #expect(processExitsWith: .success) {
            // The function that copies texts always fails.
            curl_global_init_mem(
                Int(CURL_GLOBAL_SSL), { malloc($0) }, { free($0) }, { realloc($0, $1) }, { _ in nil },
                { calloc($0, $1) })
            let request = ClientRequest(
                .get, "https://example.com/", headers: ["Authorization": "Bearer a"], destination: .fromOperator)
            #expect(throws: ClientFault.overloaded) { try HeaderList(of: request) }
        }
    }
}
