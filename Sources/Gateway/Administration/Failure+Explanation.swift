internal import Crypto
internal import FoundationEssentials
internal import Identity

extension Failure {
    /// Explains any error to the operator, without names of the program's types.
    package init(explaining error: any Error) {
        // libpq begins the second line of its messages with a tab.
        self.init(message: Self.text(of: error).filter { $0 != "\t" })
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let failure as Failure: failure.message
        case let error as UsageError: error.message
        case let refusal as any Refusal: refusal.codeWithDetail
        case is Overloaded: "too busy: try again"
        case is PersistentConflict: "another change was made at the same time: try again"
        case is SealFault: "a secret in the database cannot be decrypted: check SEKISHO_MASTER_KEY"
        case is CancellationError: "interrupted"
        case is DecodingError: "a stored value has an unexpected format: another version of sekisho may have written it"
        case let error as CocoaError: error.filePath.map { "cannot use the file \($0)" } ?? "cannot use a file"
        case let error as any CustomStringConvertible: error.description
        default: "internal error of the type \(type(of: error))"
        }
    }
}
