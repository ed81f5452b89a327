/// How the length of a request's body is determined (RFC 9112 §6.3).
enum BodyLength: Equatable {
    /// The value of `Content-Length`; zero without one.
    case bytes(Int)
    case chunked
}

/// Collects the body of one request. Holds no memory before the body arrives.
struct BodyReader {
    private let length: BodyLength
    private let limit: Int
    private var decoder = ChunkedDecoder()
    /// The part of the body that has arrived, without the framing of chunks.
    private(set) var content: [UInt8] = []

    /// - Parameter limit: the maximum size of the body, which a known length does not exceed.
    init(_ length: BodyLength, limit: Int) {
        self.length = length
        self.limit = limit
    }

    var isComplete: Bool {
        switch length {
        case .bytes(let count): content.count == count
        case .chunked: decoder.isComplete
        }
    }

    /// The memory that the body needs for `count` more bytes of input, in bytes. For a body of unknown length, it grows
    /// by doubling.
    func memoryNeeded(for count: Int, reserved: Int) -> Int {
        switch length {
        case .bytes(let length): return length
        case .chunked:
            let needed = min(content.count + count, limit)
            return needed <= reserved ? reserved : min(max(needed, 2 * reserved), limit)
        }
    }

    /// The maximum number of bytes of the body that may follow.
    var remainingInput: Int {
        switch length {
        case .bytes(let count): count - content.count
        case .chunked: .max
        }
    }

    /// - Returns: the number of bytes that belong to the body; fewer than all only if the body is complete.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(BodyRejection) -> Int {
        switch length {
        case .bytes(let count):
            let piece = bytes.prefix(count - content.count)
            if count > 0 {
                content.reserveCapacity(count)
                content.append(contentsOf: piece)
            }
            return piece.count
        case .chunked: return try decoder.decode(bytes, into: &content, limit: limit)
        }
    }
}

/// Why the body of a request is rejected. The server closes the connection after the response.
public enum BodyRejection: Error, CaseIterable {
    /// The body exceeds a quarter of the free bytes of the ``BodyBudget``.
    case overloaded
    /// The body, before or after decoding, exceeds the limit of its route.
    case tooLarge
    /// A chunked body with invalid syntax, or with more than 4 KiB of extensions and trailer fields (RFC 9112 §7.1).
    case malformedChunk
    /// A content coding other than `gzip` and `identity` (RFC 9110 §8.4).
    case unsupportedCoding
    /// The body does not consist of one member in the gzip format (RFC 1952).
    case malformedGzip

    /// A response in plain text.
    public var response: Response {
        switch self {
        case .overloaded: .text(status: 503, "Too busy; try again shortly.")
        case .tooLarge: .text(status: 413, "The body is too large")
        case .malformedChunk: .text(status: 400, "The chunked body is malformed")
        case .unsupportedCoding: .text(status: 415, "Only the content coding gzip is supported")
        case .malformedGzip: .text(status: 400, "The body is not valid gzip")
        }
    }
}
