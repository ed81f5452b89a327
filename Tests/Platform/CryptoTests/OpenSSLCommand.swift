import Foundation

/// Runs the `openssl` program, to compare keys, signatures and certificates with an independent implementation.
///
/// - Parameters:
///   - command: the arguments of `openssl`, separated by spaces; `FILE0`, `FILE1`, … stand for files with the contents
///     of `files`.
/// - Returns: standard output, or `nil` if the program failed.
func openssl(_ command: String, files: [[UInt8]] = []) throws -> [UInt8]? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "crypto-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder is harmless
    for (index, contents) in files.enumerated() {
        try Data(contents).write(to: folder.appending(path: "FILE\(index)"))
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + command.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let contents = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? Array(contents) : nil
}

/// Standard output as text; empty if the program failed.
func opensslText(_ command: String, files: [[UInt8]] = []) throws -> String {
    try String(decoding: openssl(command, files: files) ?? [], as: UTF8.self)
}
