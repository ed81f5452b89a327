import Foundation
import Testing

/// The `openssl` program as a TLS server with a self-signed certificate.
final class SecureServer {
    let port: UInt16
    private let folder: URL
    private let process: Process

    /// - Parameters:
    ///   - name: the only name in the certificate.
    ///   - answer: sent once, to the first client with a successful handshake; the connection stays open.
    init(name: String, answer: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "http-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let request = Self.openssl(
            """
            req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out certificate.pem -days 2 \
            -subj /CN=\(name) -addext subjectAltName=\(name.contains(":") ? "" : "DNS:")\(name)
            """, in: folder)
        try request.run()
        request.waitUntilExit()
        try #require(request.terminationStatus == 0)
        process = Self.openssl("s_server -accept 127.0.0.1:0 -cert certificate.pem -key key.pem", in: folder)
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
        port = try Self.port(readFrom: output.fileHandleForReading)
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)  // other signals may be blocked in the process
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)  // a leftover folder is harmless
    }

    /// The path of a file with the certificate, which clients can trust.
    var certificate: String { folder.appending(path: "certificate.pem").path }

    private static func openssl(_ command: String, in folder: URL) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + command.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        return process
    }

    private static func port(readFrom output: FileHandle) throws -> UInt16 {
        var text = ""
        while !text.hasSuffix("\n") || !text.contains("ACCEPT ") {
            let piece = output.availableData
            try #require(!piece.isEmpty, "openssl ended: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        return try #require(text.split(whereSeparator: { !$0.isNumber }).last.flatMap { UInt16($0) })
    }
}
