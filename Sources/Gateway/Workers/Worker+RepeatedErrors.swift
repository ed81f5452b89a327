internal import Telemetry

extension Worker {
    /// Returns a worker that writes the counts of repeated errors to the log.
    static func repeatedErrors(_ log: Log) -> Worker {
        Worker(name: "repeatedErrors", pause: { .seconds(1) }) { log.writeRepeatedErrors() }
    }
}
