/// An error of a command or of start-up, with a message for the operator.
package struct Failure: Error {
    package let message: String

    package init(message: String) {
        self.message = message
    }
}

/// Invalid command-line arguments, with a message for the operator.
package struct UsageError: Error {
    package let message: String

    package init(message: String) {
        self.message = message
    }
}
