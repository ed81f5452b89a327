internal import CSystem

/// A system call that failed, with the `errno` it left behind.
public struct SystemError: Error, CustomStringConvertible {
    public let call: String
    public let code: Int32

    /// The failure that `errno` of this thread tells of.
    public init(call: String) {
        self.init(call: call, code: shim_errno())
    }

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
