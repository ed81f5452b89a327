internal import Gateway
internal import Glibc
internal import Identity

/// The program `sekisho`. Exit status: 0 success, 1 failure, 2 invalid usage or configuration.
package enum CommandLineProgram {
    package static func run() {
        signal(SIGPIPE, SIG_IGN)
        // `serve` and `dev` wait for the blocked signals. Commands that may be interrupted at any moment unblock them.
        Signals.block()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try Command.run(arguments)
        } catch let error as UsageError {
            let words = ["sekisho"] + Command.helpWords(for: arguments)
            Terminal.writeError("\(error.message)\nRun `\(words.joined(separator: " ")) --help` for usage.")
            exit(2)
        } catch let error as ConfigurationError {
            Terminal.writeError(error.description)
            exit(2)
        } catch let error as ConfigurationRefusal {
            Terminal.writeError("rejected, nothing was changed:\n\(error.list)")
            exit(1)
        } catch let error as ConfigurationEditRefusal {
            Terminal.writeError("rejected, nothing was changed: \(error.explanation)")
            exit(1)
        } catch {
            Terminal.writeError(Failure(explaining: error).message)
            exit(1)
        }
    }
}

extension ConfigurationRefusal {
    /// The problems, one line each, and the advice.
    fileprivate var list: String {
        (problems.map { "  - \($0.listItem)" } + [advice].compactMap(\.self)).joined(separator: "\n")
    }
}

extension ConfigurationProblem {
    /// The text of the problem in a list. The text of a violation of App Review guideline 4.8 begins with the error
    /// code.
    var listItem: String { isLoginServicesViolation ? "\(ErrorCode.loginServices.rawValue) : \(self)" : description }
}

extension ConfigurationEditRefusal {
    /// What the command cannot change, and what to do instead.
    fileprivate var explanation: String {
        switch self {
        case .trustRequired:
            "this command cannot change trusted settings (issuers, client IDs, secrets, domains, link targets). Use `sekisho projects apply`."
        case .issuerInUse(let provider, let count):
            "PROVIDER_ISSUER_IN_USE : \(provider.rawValue) has \(count) \(count == 1 ? "identity" : "identities") of another issuer. Configure the new issuer under another provider ID, or unlink them with --discard-identities."
        case .rpIDInUse, .rpIDHasPasskeys, .rpIDOfForeignPasskeys: "\(code.rawValue) : \(detail ?? "")"
        }
    }
}
