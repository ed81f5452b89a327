import Foundation
import SekishoAuth
import SekishoSample

/// Runs commands on the view model, and prints its state.
@MainActor struct CommandRunner {
    static let help = """
        Commands:
          anonymous | sign-up EMAIL PASSWORD | sign-in EMAIL PASSWORD | sign-out
          apple PURPOSE EMAIL | google PURPOSE EMAIL [unverified]
          use-other-account | merge | dismiss-conflict
          send-password-reset EMAIL | send-sign-in-link EMAIL URL | open LINK
          show | refresh | rename NAME | send-verification
          change-email EMAIL | change-password PASSWORD
          link-password EMAIL PASSWORD | unlink PROVIDER
          reauthenticate EMAIL PASSWORD | cancel
          devices | end-session ID | end-all-sessions | delete | help | quit

        PURPOSE is sign-in, link or reauthenticate. A word in quotation marks can
        contain spaces.

        """

    let model: SampleModel
    let simulator: ProviderSimulator

    /// Runs a command and prints the state. For `help` or an unknown command, prints the list of commands instead.
    func run(_ words: [String]) async throws {
        // Missing arguments are empty.
        let argument = { (index: Int) in index < words.count ? words[index] : "" }
        switch words[0] {
        case "help":
            FileHandle.standardError.write(Data(Self.help.utf8))
            return
        case "apple": await useProvider("apple.com", purpose: argument(1), email: argument(2))
        case "google":
            await useProvider(
                "google.com", purpose: argument(1), email: argument(2), isVerified: argument(3) != "unverified")
        case "sign-up": await model.signUp(email: argument(1), password: argument(2))
        case "sign-in": await model.use(email: argument(1), password: argument(2), for: .signIn)
        case "link-password": await model.use(email: argument(1), password: argument(2), for: .link)
        case "reauthenticate": await model.use(email: argument(1), password: argument(2), for: .reauthenticate)
        case "send-sign-in-link": await model.sendSignInLink(to: argument(1), continueURL: argument(2))
        default:
            guard await runSimple(words[0], argument(1)) else {
                FileHandle.standardError.write(Data("unknown command \(words[0])\n\(Self.help)".utf8))
                return
            }
        }
        try printState()
    }

    /// Runs a command that has at most one argument.
    ///
    /// - Returns: `false` for an unknown command.
    private func runSimple(_ command: String, _ argument: String) async -> Bool {
        switch command {
        case "show": break
        case "anonymous": await model.signInAnonymously()
        case "sign-out": await model.signOut()
        case "use-other-account": await model.useOtherAccount()
        case "merge": await model.mergeIntoOtherAccount()
        case "dismiss-conflict": model.dismissConflict()
        case "send-password-reset": await model.sendPasswordReset(to: argument)
        case "open": await model.open(link: argument)
        case "refresh": await model.refresh()
        case "rename": await model.rename(argument)
        case "send-verification": await model.sendEmailVerification()
        case "change-email": await model.changeEmail(to: argument)
        case "change-password": await model.changePassword(to: argument)
        case "unlink": await model.unlink(argument)
        case "cancel": model.cancelReauthentication()
        case "devices": await model.loadDevices()
        case "end-session": await model.endSession(argument)
        case "end-all-sessions": await model.endAllSessions()
        case "delete": await model.deleteAccount()
        default: return false
        }
        return true
    }

    /// Simulates the provider's dialog, and signs in, links or reauthenticates with its result.
    private func useProvider(
        _ providerID: String, purpose purposeName: String, email: String, isVerified: Bool = true
    ) async {
        guard let purpose = CredentialPurpose(rawValue: purposeName) else {
            let message = "expected sign-in, link or reauthenticate, got \(purposeName)\n"
            FileHandle.standardError.write(Data(message.utf8))
            return
        }
        await model.prepareNonce()
        guard let nonce = model.nonceForRequest() else { return }
        // A request to Apple contains the hash of the nonce, and a request to Google the nonce itself.
        let isApple = providerID == "apple.com"
        do {
            let authorization = try await simulator.authorize(
                email, isVerified: isVerified, at: providerID, nonce: isApple ? nonce.sha256 : nonce.rawNonce)
            await model.use(authorization, for: purpose)
        } catch {
            FileHandle.standardError.write(Data("the simulator failed: \(error)\n".utf8))
        }
    }

    /// Prints the state as one line of JSON.
    func printState() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = try encoder.encode(Report(model.state))
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
    }
}
