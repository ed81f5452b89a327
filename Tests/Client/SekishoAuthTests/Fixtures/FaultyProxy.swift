import Foundation
import Synchronization
import Testing

@testable import Support

/// A proxy between an app and a gateway. While ``hasFaults`` is true, a seeded generator chooses a fault, or none, for
/// each connection.
final class FaultyProxy: Sendable {
    enum Fault: CaseIterable {
        case none, closeConnection, dropResponse, truncateResponse, corruptResponse, delayResponse, respondWithHTML
    }

    let port: Int
    private let server: TCPServer
    private let faultFlag: Flag

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// Whether faults are injected (default: false).
    var hasFaults: Bool {
        get { faultFlag.isSet }
        set { faultFlag.isSet = newValue }
    }

    init(before gatewayPort: Int, seed: UInt64) throws {
        let generator = Mutex(SeededRandom(seed: seed))
        let faultFlag = Flag()
        self.faultFlag = faultFlag
        server = try TCPServer { connection in
            let (fault, fraction) = generator.withLock { generator in
                (
                    faultFlag.isSet ? Fault.allCases.randomElement(using: &generator) ?? .none : .none,
                    Double.random(in: 0..<1, using: &generator)
                )
            }
            Self.serve(connection, gatewayPort, fault, fraction)
        }
        port = server.port
    }

    /// Forwards one request to the gateway, and its response to the app.
    ///
    /// - Parameter fraction: the fraction of the response's body that is cut off, or after which one byte is changed.
    private static func serve(_ connection: TCPConnection, _ port: Int, _ fault: Fault, _ fraction: Double) {
        if fault == .closeConnection { return }
        let request = connection.receiveRequest()
        if fault == .respondWithHTML {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>")
            return
        }
        guard let gateway = TCPConnection.connect(to: port), let lineFeed = request.firstIndex(of: UInt8(ascii: "\n"))
        else { return }
        gateway.send(request[...lineFeed] + Array("Connection: close\r\n".utf8) + request[(lineFeed + 1)...])
        var response = gateway.receiveAll()
        let body = response.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
        switch fault {
        case .dropResponse: return
        case .truncateResponse:
            // Foundation on Linux crashes if a response ends within its header.
            response.removeLast(Int(Double(response.count - body) * fraction))
        case .corruptResponse:
            let index = body + Int(Double(response.count - body) * fraction)
            let (letter, other) = (UInt8(ascii: "A"), UInt8(ascii: "B"))
            if response.indices.contains(index) { response[index] = response[index] == letter ? other : letter }
        case .delayResponse: Thread.sleep(forTimeInterval: 0.05)
        case .none, .closeConnection, .respondWithHTML: break
        }
        connection.send(response)
    }
}
