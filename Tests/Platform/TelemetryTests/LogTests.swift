import Foundation
import Glibc
import Telemetry
import Testing

@Suite("Logs")
struct LogTests {
    /// A pipe from which the test reads.
    final class Channel: @unchecked Sendable {
        private(set) var reader: Int32
        let writer: Int32

        init(isNonBlocking: Bool = false) {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (reader, writer) = (ends[0], ends[1])
            if isNonBlocking { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
        }

        deinit {
            closeReader()
            close(writer)
        }

        /// Closes once: a second time could close a descriptor of another test.
        func closeReader() {
            guard reader >= 0 else { return }
            close(reader)
            reader = -1
        }

        /// Reads until `count` lines have arrived.
        func lines(_ count: Int) -> [String] {
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 131_072)
            while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
                let length = read(reader, &chunk, chunk.count)
                guard length > 0 else { break }
                bytes += chunk[..<length]
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func object(_ line: String) throws -> [String: any Sendable] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
    }

    @Test("Errors with one cause have one line a second, with the number of errors without a line")
    func repeated() async throws {
        let channel = Channel()
        let log = Log(descriptor: channel.writer)
        for _ in 1...5 { log.error("request", cause: "no database", ["status": .int(503)]) }
        log.error("request", cause: "full disk", [:])
        log.writeRepeatedErrors()
        try await Task.sleep(for: .milliseconds(1100))
        log.writeRepeatedErrors()
        log.error("request", cause: "full disk", [:])
        log.writeRepeatedErrors()
        let lines = channel.lines(4).map { $0.replacing(#/"time":"[^"]*",/#, with: "") }
        #expect(
            lines == [
                #"{"level":"error","message":"request","cause":"no database","status":503}"#,
                #"{"level":"error","message":"request","cause":"full disk"}"#,
                #"{"level":"error","message":"repeated","cause":"no database","repeated":4}"#,
                #"{"level":"error","message":"request","cause":"full disk"}"#,
            ])
    }

    @Test("A line is a JSON object: time, level, message, and then the fields sorted by name")
    func line() throws {
        let channel = Channel()
        let log = Log(descriptor: channel.writer)
        log.info("request", ["status": .int(200), "ok": .bool(true), "seconds": .double(0.25), "id": .string("a")])
        let line = channel.lines(1)[0]
        #expect(line.hasSuffix(#","level":"info","message":"request","id":"a","ok":true,"seconds":0.25,"status":200}"#))
        let time = try #require(object(line)["time"] as? String)
        let date = try Date(
            time,
            strategy: .iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true)
        )
        #expect(abs(date.timeIntervalSinceNow) < 3600)
    }

    @Test(
        "Characters that are special in JSON, lines and terminals are escaped",
        arguments: [
            "\"", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{1B}[2J", "\u{7F}", "\u{9B}", "\u{2028}", "é😀", "}\n{", "",
        ])
    func escapes(text: String) throws {
        let channel = Channel()
        let log = Log(descriptor: channel.writer)
        log.error(text, [text: .string(text)])
        let line = channel.lines(1)[0]
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" })
        let object = try object(line)
        #expect(object["message"] as? String == text)
        #expect(object[text] as? String == text)
    }

    @Test("Numbers that JSON does not have are written as text, and fields with standard names are ignored")
    func oddities() throws {
        let channel = Channel()
        let log = Log(descriptor: channel.writer)
        log.warning(
            "odd", ["a": .double(.infinity), "b": .double(.nan), "message": .string("forged"), "time": .int(0)])
        let line = channel.lines(1)[0]
        #expect(line.hasSuffix(#""level":"warning","message":"odd","a":"inf","b":"nan"}"#))
    }

    @Test("Lines below the level are omitted", arguments: Log.Level.allCases)
    func levels(level: Log.Level) {
        let channel = Channel()
        let log = Log(level: level, descriptor: channel.writer)
        // Each message is the raw value of its level.
        log.debug("0")
        log.info("1")
        log.warning("2")
        log.error("3")
        let lines = channel.lines(4 - level.rawValue)
        // A line ends with the message, a quotation mark and a brace.
        #expect(lines.map { $0.suffix(3).prefix(1) } == (level.rawValue...3).map { "\($0)" })
    }

    @Test("A log does not wait for a reader that does not read, and reports dropped lines", arguments: [false, true])
    func stalled(isNonBlocking: Bool) throws {
        let channel = Channel(isNonBlocking: isNonBlocking)
        // 5000 lines of about 80 bytes are more than the pipe (65 536 bytes) and the queue (100 000 bytes) hold.
        let log = Log(descriptor: channel.writer, capacity: 100_000)
        for number in 0..<5000 { log.info("line", ["number": .int(number)]) }
        let dropped = log.droppedLines
        #expect(dropped > 0)
        #expect(!log.flush(within: .milliseconds(20)))

        var lines: [[String: any Sendable]] = []
        var reportedDrops: [Int] { lines.compactMap { $0["count"] as? Int } }
        while lines.count - reportedDrops.count < 5000 - dropped || reportedDrops.reduce(0, +) < dropped {
            lines += try channel.lines(1).map(object)
        }
        let numbers = lines.compactMap { $0["number"] as? Int }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 5000 - dropped)
        #expect(reportedDrops.reduce(0, +) == dropped)
        #expect(log.flush(within: .seconds(10)))
    }

    @Test("Lines of concurrent tasks stay whole, and those of each task in order")
    func concurrent() async throws {
        let channel = Channel()
        let log = Log(descriptor: channel.writer)
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<50 { log.info("line", ["writer": .int(writer), "number": .int(number)]) }
                }
            }
        }
        let lines = try channel.lines(400).map(object)
        for writer in 0..<8 {
            #expect(lines.filter { $0["writer"] as? Int == writer }.map { $0["number"] as? Int } == Array(0..<50))
        }
    }

    @Test("A closed pipe does not stop the program, and the dropped line is counted")
    func closedPipe() {
        let channel = Channel()
        let log = Log(descriptor: dup(channel.writer))
        channel.closeReader()
        log.info("dropped")
        #expect(log.flush(within: .seconds(10)))
        #expect(log.droppedLines == 1)
    }
}
