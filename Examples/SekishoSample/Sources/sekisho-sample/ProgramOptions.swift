import Foundation
import SekishoAuth
import SekishoSample

/// The options of the program.
struct ProgramOptions {
    static let usage = "Usage: sekisho-sample [OPTION]..."

    static let help = """
        \(usage)

        Run the sample app's view model against a development server. Reads commands
        from standard input, and prints the state of the screens as JSON after each
        command.

        Options:
          --server URL       development server (default: http://127.0.0.1:9099)
          --store DIRECTORY  directory of the stored session
                             (default: sekisho in the user's data directory)
          --device NAME      name in the list of devices (default: program and system)
          --timeout SECONDS  timeout of a request (default: 60)
          -h, --help         print this help

        """

    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var url = "http://127.0.0.1:9099"
    private(set) var showsHelp = false
    private var store: String?
    private var device: String?
    private var timeout: TimeInterval = 60

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        while let name = remaining.popFirst() {
            switch name {
            case "-h", "--help":
                showsHelp = true
                return
            case "--server": url = try Self.value(of: name, from: &remaining)
            case "--store": store = try Self.value(of: name, from: &remaining)
            case "--device": device = try Self.value(of: name, from: &remaining)
            case "--timeout":
                let value = try Self.value(of: name, from: &remaining)
                guard let seconds = TimeInterval(value), seconds > 0 else {
                    throw Invalid(description: "--timeout: expected a positive number of seconds, got \(value)")
                }
                timeout = seconds
            default: throw Invalid(description: "unknown option \(name)")
            }
        }
        guard components?.scheme == "http", components?.port != nil else {
            throw Invalid(description: "--server: expected http://HOST:PORT, got \(url)")
        }
    }

    private static func value(of option: String, from remaining: inout ArraySlice<String>) throws -> String {
        guard let value = remaining.popFirst() else { throw Invalid(description: "\(option) requires a value") }
        return value
    }

    private var components: URLComponents? { URLComponents(string: url) }

    var server: SampleServer {
        var server = SampleServer.development
        server.developmentPort = components?.port
        server.options.store = FileStore(directory: store.map { URL(fileURLWithPath: $0) })
        server.options.deviceName = device ?? server.options.deviceName
        server.options.requestTimeout = timeout
        return server
    }
}
