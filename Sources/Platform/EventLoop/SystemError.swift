internal import CSystem

/// A failed system call with its `errno`.
public struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The name of the C function.
    public let call: String
    /// The value of `errno`.
    public let code: Int32

    /// Reads `errno` of the calling thread.
    public init(call: String) {
        self.init(call: call, code: shim_errno())
    }

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
