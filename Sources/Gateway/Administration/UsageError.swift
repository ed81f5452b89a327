/// Arguments that contradict each other or cannot be understood, with a message for the operator.
package struct UsageError: Error {
    package let message: String

    package init(message: String) {
        self.message = message
    }
}
