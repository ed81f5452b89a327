internal import CSystem

/// The parameters of one statement in libpq's form. The memory is reused for the next statement.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private var types: [Oid] = []
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// - Throws: ``PostgresError/invalidParameter(position:reason:)``.
    static func check(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= Int(UInt16.max) else {
            throw .invalidParameter(position: Int(UInt16.max) + 1, reason: "too many")
        }
        for (index, parameter) in parameters.enumerated() {
            guard case .refused(let reason) = parameter.value else { continue }
            throw .invalidParameter(position: index + 1, reason: reason.description)
        }
    }

    mutating func load(_ parameters: [Parameter]) {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        bytes.append(0)  // an empty value needs an address too: a null pointer means NULL
        for parameter in parameters {
            let start = bytes.count
            offsets.append(parameter.append(to: &bytes) ? start : -1)
            lengths.append(Int32(bytes.count - start))
            types.append(parameter.type.oid)
        }
        while formats.count < parameters.count { formats.append(1) }
    }

    mutating func withPointers<Value>(
        _ body: (
            _ count: Int32, _ types: UnsafePointer<Oid>, _ values: UnsafePointer<UnsafePointer<CChar>?>,
            _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
        ) -> Value
    ) -> Value {
        bytes.withUnsafeBytes { bytes in
            values.removeAll(keepingCapacity: true)
            for offset in offsets {
                let start = offset < 0 ? nil : bytes.baseAddress?.advanced(by: offset)
                values.append(start?.assumingMemoryBound(to: CChar.self))
            }
            return body(Int32(offsets.count), types, values, lengths, formats)
        }
    }
}
