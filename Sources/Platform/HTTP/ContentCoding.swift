internal import CSystem

/// The content coding of a request's body (RFC 9110 §8.4.1).
enum ContentCoding {
    case identity
    case gzip

    /// - Throws: ``BodyRejection/unsupportedCoding`` for another coding, or several.
    init(_ headers: Headers) throws(BodyRejection) {
        let values = headers.filter { $0.name.equalsIgnoringASCIICase("Content-Encoding") }.map(\.value)
        switch values.count {
        case 0: self = .identity
        case 1 where values[0].equalsIgnoringASCIICase("identity"): self = .identity
        case 1 where values[0].equalsIgnoringASCIICase("gzip") || values[0].equalsIgnoringASCIICase("x-gzip"):
            self = .gzip
        default: throw .unsupportedCoding
        }
    }
}

/// A body in the gzip format with one member (RFC 1952). Its last four bytes state the size of its content, so the
/// memory for the content is known before anything is decoded.
struct GzipBody {
    private static let smallestSize = 18

    private let bytes: [UInt8]
    /// The stated size of the content, in bytes. ``decoded()`` never returns more or less.
    let contentSize: Int

    /// - Throws: ``BodyRejection/malformedGzip`` for fewer bytes than the format needs, or another format.
    init(_ bytes: [UInt8]) throws(BodyRejection) {
        guard bytes.count >= Self.smallestSize, bytes.starts(with: [0x1F, 0x8B]) else { throw .malformedGzip }
        self.bytes = bytes
        contentSize = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Decodes in slices, between which the event loop serves other tasks. A body of short blocks, each with tables of
    /// its own, takes a hundred times as long as an ordinary one.
    ///
    /// - Throws: ``BodyRejection/malformedGzip``; also if the content does not have the stated size.
    func decoded() async throws(BodyRejection) -> [UInt8] {
        guard let inflater = Inflater() else { throw .overloaded }
        // An empty content needs a buffer too, because zlib rejects a null pointer.
        var content = [UInt8](repeating: 0, count: max(1, contentSize))
        while inflater.inflateSlice(of: bytes, into: &content) {
            await Task.yield()
            guard !Task.isCancelled else { throw .malformedGzip }
        }
        guard inflater.isAtEnd, inflater.consumed == bytes.count, inflater.produced == contentSize else {
            throw .malformedGzip
        }
        content.removeLast(content.count - contentSize)
        return content
    }
}

/// A stream of zlib. It has an address of its own, because zlib stores the address.
private final class Inflater {
    private static let inputSlice = 16 * 1024
    private static let outputSlice = 256 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    /// The number of bytes that have been read.
    private(set) var consumed = 0
    /// The number of bytes that have been written.
    private(set) var produced = 0
    /// Whether the end of the format was reached.
    private(set) var isAtEnd = false

    /// - Returns: `nil` if zlib got no memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 selects the gzip format.
        guard inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// - Returns: whether another slice follows; `false` also after an error.
    func inflateSlice(of input: [UInt8], into output: inout [UInt8]) -> Bool {
        let code = input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + consumed })
                stream.pointee.avail_in = UInt32(min(Self.inputSlice, input.count - consumed))
                stream.pointee.next_out = output.baseAddress.map { $0 + produced }
                stream.pointee.avail_out = UInt32(min(Self.outputSlice, output.count - produced))
                return inflate(stream, Z_NO_FLUSH)
            }
        }
        consumed = Int(stream.pointee.total_in)
        produced = Int(stream.pointee.total_out)
        isAtEnd = code == Z_STREAM_END
        return code == Z_OK
    }
}
