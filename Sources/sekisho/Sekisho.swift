internal import Glibc

/// Exit status: 0 done, 1 failed, 2 called or configured wrongly.
@main
struct Sekisho {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Signals.holdBack()
        do {
            try Command.run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            Terminal.complain("\(error.message)\nsekisho --help tells more.")
            exit(2)
        } catch let error as ConfigurationError {
            Terminal.complain(error.description)
            exit(2)
        } catch let error as Failure {
            Terminal.complain(error.message)
            exit(1)
        } catch {
            Terminal.complain("\(error)")
            exit(1)
        }
    }
}

/// The command line makes no sense.
struct UsageError: Error {
    let message: String
}

/// The command was understood and could not be carried out.
struct Failure: Error {
    let message: String
}
