extension Sequence {
    /// Like `map`, for many elements: after every `count` elements, the event loop of the task serves others.
    public func mapInSlices<Value>(
        of count: Int, _ transform: (Element) throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(underestimatedCount)
        for element in self {
            if !values.isEmpty, values.count.isMultiple(of: count) { await Task.yield() }
            values.append(try transform(element))
        }
        return values
    }
}
