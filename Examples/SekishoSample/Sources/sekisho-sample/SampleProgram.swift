import Foundation
import SekishoSample

/// The command-line version of the sample app. Reads commands from standard input, and prints the state of the screens
/// as JSON after each command.
@main struct SampleProgram {
    @MainActor static func main() async {
        let options: ProgramOptions
        do { options = try ProgramOptions(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("sekisho-sample: \(error)\n\(ProgramOptions.help)".utf8))
            exit(2)
        }
        let model = SampleModel(server: options.server)
        let runner = CommandRunner(model: model, simulator: ProviderSimulator(server: options.url))
        await model.start()
        runner.printState()
        for await line in lines() {
            let words = words(of: line)
            guard !words.isEmpty else { continue }
            if words == ["quit"] { return }
            await runner.run(words)
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
