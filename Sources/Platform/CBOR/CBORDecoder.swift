internal import CCBOR
internal import Encoding

/// Decodes one value, with an explicit stack of open containers instead of recursion.
struct CBORDecoder {
    /// An array or map whose elements have not all been read.
    private struct Container {
        let isMap: Bool
        /// The number of items that are missing; each entry of a map is two items.
        private var missing: Int
        private var elements: [CBORValue] = []
        private var entries: [CBORKey: CBORValue] = [:]
        /// The key of the entry whose value comes next.
        private var key: CBORKey?

        init(isMap: Bool, missing: Int) {
            self.isMap = isMap
            self.missing = missing
        }

        var isComplete: Bool { missing == 0 }

        var value: CBORValue { isMap ? .map(entries) : .array(elements) }

        mutating func add(_ value: CBORValue) throws(CBORFault) {
            missing -= 1
            if !isMap {
                elements.append(value)
            } else if let key {
                entries[key] = value
                self.key = nil
            } else {
                let key = try CBORKey(value)
                guard entries[key] == nil else { throw .duplicateKey }
                self.key = key
            }
        }
    }

    private let input: UnsafeBufferPointer<UInt8>
    /// The number of bytes that have been read.
    private(set) var position = 0
    /// The number of items that have been read or declared.
    private var items = 1
    private var openContainers: [Container] = []
    private var result = CBORValue.null

    init(_ input: UnsafeBufferPointer<UInt8>) {
        self.input = input
    }

    mutating func decode() throws(CBORFault) -> CBORValue {
        repeat {
            if let scalar = try readItem() { try add(scalar) }
            while let container = openContainers.last, container.isComplete {
                openContainers.removeLast()
                try add(container.value)
            }
        } while !openContainers.isEmpty
        return result
    }

    /// Adds a value to the innermost open container.
    private mutating func add(_ value: CBORValue) throws(CBORFault) {
        if openContainers.isEmpty {
            result = value
        } else {
            try openContainers[openContainers.count - 1].add(value)
        }
    }

    /// - Returns: a scalar; `nil` if the item opens an array or a map.
    private mutating func readItem() throws(CBORFault) -> CBORValue? {
        guard let start = input.baseAddress, position < input.count else { throw .truncated }
        var item = shim_cbor_item()
        let count = shim_cbor_read(start + position, input.count - position, &item)
        guard count != 0 else { throw .truncated }
        guard count > 0 else { throw .malformed }
        position += count
        switch item.kind {
        case SHIM_CBOR_UNSIGNED: return .integer(try Self.integer(item.number))
        case SHIM_CBOR_NEGATIVE: return .integer(-1 - (try Self.integer(item.number)))
        case SHIM_CBOR_BYTES: return .bytes(Array(Self.content(of: item)))
        case SHIM_CBOR_TEXT:
            guard let text = String(validating: Self.content(of: item), as: UTF8.self) else { throw .notUTF8 }
            return .text(ByteText(text))
        case SHIM_CBOR_BOOL: return .bool(item.number != 0)
        case SHIM_CBOR_NULL: return .null
        case SHIM_CBOR_ARRAY: try open(isMap: false, declaring: item.number)
        case SHIM_CBOR_MAP: try open(isMap: true, declaring: item.number)
        default: throw .unsupported
        }
        return nil
    }

    /// - Parameter count: elements of an array, entries of a map.
    private mutating func open(isMap: Bool, declaring count: UInt64) throws(CBORFault) {
        guard openContainers.count < CBOR.maximumDepth else { throw .tooDeep }
        guard count <= CBOR.maximumItems else { throw .tooManyItems }
        let missing = Int(count) * (isMap ? 2 : 1)
        items += missing
        guard items <= CBOR.maximumItems else { throw .tooManyItems }
        openContainers.append(Container(isMap: isMap, missing: missing))
    }

    private static func integer(_ number: UInt64) throws(CBORFault) -> Int64 {
        guard let integer = Int64(exactly: number) else { throw .integerOutOfRange }
        return integer
    }

    /// libcbor reads an item only if its content is complete, so that the content lies within the input.
    private static func content(of item: shim_cbor_item) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: item.content, count: Int(item.number))
    }
}

extension CBORKey {
    init(_ value: CBORValue) throws(CBORFault) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .text(let text): self = .text(text)
        default: throw .invalidKey
        }
    }
}
