#if !canImport(Combine)
    /// Stands in for Combine's protocol on Linux.
    public protocol ObservableObject: AnyObject {}

    /// Stands in for Combine's property wrapper on Linux.
    @propertyWrapper public struct Published<Value> {
        /// The value.
        public var wrappedValue: Value

        /// Creates a property with its initial value.
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    }
#endif
