import Foundation
import SekishoAuth
import SekishoSample

/// The options of the program.
struct ProgramOptions {
    static let help = """
        Usage: sekisho-sample [OPTION…]
          --server URL       development server (default: http://127.0.0.1:9099)
          --store DIRECTORY  directory of the stored session (default: sekisho in the user's data directory)
          --device NAME      name in the list of devices (default: program and system)
          --timeout SECONDS  timeout of a request (default: 60)

        """

    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    var url = "http://127.0.0.1:9099"
    private var store: String?
    private var device: String?
    private var timeout: TimeInterval = 60

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        while let name = remaining.popFirst() {
            guard let value = remaining.popFirst() else {
                throw Invalid(description: "the option \(name) has no value")
            }
            switch name {
            case "--server": url = value
            case "--store": store = value
            case "--device": device = value
            case "--timeout":
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
