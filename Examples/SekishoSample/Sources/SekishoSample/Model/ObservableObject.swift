#if !canImport(Combine)
    /// Stands for the protocol of Combine, which Linux does not have.
    public protocol ObservableObject: AnyObject {}

    /// Stands for the property wrapper of Combine.
    @propertyWrapper public struct Published<Value> {
        /// The value.
        public var wrappedValue: Value

        /// Creates a property with its first value.
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    }
#endif
