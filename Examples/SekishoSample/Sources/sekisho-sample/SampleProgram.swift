import Foundation
import SekishoSample

/// The command-line version of the sample app. Reads commands from standard input, and prints the state of the screens
/// as JSON after each command.
@main struct SampleProgram {
    @MainActor static func main() async throws {
        let options: ProgramOptions
        do { options = try ProgramOptions(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("sekisho-sample: \(error)\n\(ProgramOptions.usage)\n".utf8))
            exit(2)
        }
        guard !options.showsHelp else {
            FileHandle.standardOutput.write(Data("\(ProgramOptions.help)\n\(CommandRunner.help)".utf8))
            return
        }
        let model = SampleModel(server: options.server)
        let runner = CommandRunner(model: model, simulator: ProviderSimulator(server: options.url))
        await model.start()
        try runner.printState()
        for await line in lines() {
            let words = words(of: line)
            guard !words.isEmpty else { continue }
            if words == ["quit"] { return }
            try await runner.run(words)
        }
    }

    /// The lines of standard input. A separate thread reads them, because reading would block the main thread, which
    /// calls the listeners.
    private static func lines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }

    /// The words of a line. Quotation marks keep spaces in a word.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }
}
