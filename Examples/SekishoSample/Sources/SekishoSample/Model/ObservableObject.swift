#if !canImport(Combine)
    /// Replaces Combine's protocol, which Linux does not have.
    public protocol ObservableObject: AnyObject {}

    /// Replaces Combine's property wrapper.
    @propertyWrapper public struct Published<Value> {
        /// The value.
        public var wrappedValue: Value

        /// Creates a property with its first value.
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    }
#endif
