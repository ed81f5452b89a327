/// A command or a start-up that cannot be carried out, with a message for the operator.
package struct Failure: Error {
    package let message: String

    package init(message: String) {
        self.message = message
    }
}
