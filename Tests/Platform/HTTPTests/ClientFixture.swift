import EventLoop
import HTTP

/// Runs `body` with a client on its own loop, and stops both afterwards.
func withClient(
    limits: ClientLimits = ClientLimits(), certificateAuthorities: String? = nil, _ body: (Client) async throws -> Void
) async throws {
    let loop = try Loop(name: "client")
    let client = try Client(loop: loop, limits: limits, certificateAuthorities: certificateAuthorities)
    let result: Result<Void, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    loop.stop()
    try result.get()
}

/// A request to this machine.
func request(
    _ method: HTTP.Method = .get, _ path: String = "/a", port: UInt16, headers: Headers = [:], body: String = "",
    deadline: Duration = .seconds(10), maximumResponseBytes: Int = 4096
) -> ClientRequest {
    ClientRequest(
        method, "http://127.0.0.1:\(port)\(path)", headers: headers, body: Array(body.utf8), deadline: deadline,
        maximumResponseBytes: maximumResponseBytes, destination: .fromOperator)
}

extension ClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
