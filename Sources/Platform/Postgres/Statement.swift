/// A statement or a script, and the callback for its result, if any.
final class Statement {
    enum Text {
        case sql(SQL)
        /// Several statements in one message, without parameters; the result is that of the last.
        case script(String)
    }

    typealias Completion = (Result<ResultSet, any Error>) -> Void

    let id: UInt64
    let text: Text
    /// How long the server may take to respond.
    let timeLimit: Duration
    /// When the server must have responded; set when the statement is sent.
    var deadline: ContinuousClock.Instant?
    private var completion: Completion?

    init(id: UInt64, text: Text, timeLimit: Duration, completion: Completion? = nil) {
        self.id = id
        self.text = text
        self.timeLimit = timeLimit
        self.completion = completion
    }

    /// Whether a caller is waiting.
    var isAwaited: Bool { completion != nil }

    /// Delivers the result. Later calls do nothing.
    func finish(_ result: Result<ResultSet, any Error>) {
        let waiting = completion
        completion = nil
        waiting?(result)
    }
}
