/// Keeps a large value behind one reference. Copies share it until one of them changes, so that a suspended task that
/// holds several copies needs little memory.
@propertyWrapper
public struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline
        let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline
    var box: Box

    @inlinable
    public var wrappedValue: Value {
        get { box.value }
        set { box = Box(newValue) }
    }

    @inlinable
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    public static func == (left: Boxed, right: Boxed) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
