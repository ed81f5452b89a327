import DevMode
import Telemetry
import Testing

@Suite("The log of dev on a terminal")
struct DevLogTests {
    @Test(
        "Each request or event is one readable line",
        arguments: [
            (
                "request", ["status": .int(200), "operationId": .string("signUp"), "ms": .double(3.7)],
                "12:30:59 200 signUp 3 ms"
            ),
            (
                "request",
                [
                    "status": .int(404), "method": .string("GET"), "path": .string("/v1/*"), "ms": .double(0.2),
                    "refusal": .string("NOT_FOUND"),
                ], "12:30:59 404 GET /v1/* 0 ms NOT_FOUND"
            ),
            ("started", ["port": .int(1)], "12:30:59 info: started port=1"),
        ] as [(String, LogFields, String)])
    func line(message: String, fields: LogFields, expected: String) {
        #expect(DevLog.line(.info, message, fields, time: "12:30:59") == expected)
    }
}
