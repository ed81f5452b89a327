/// Text that must not reach a log: printing and mirroring show nothing. ``expose()`` is the only way to read it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    public func expose() -> String { text }

    public var isEmpty: Bool { text.isEmpty }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
