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

    /// - Throws: ``BodyRejection/malformedGzip``; also if the content does not have the stated size.
    func decoded() throws(BodyRejection) -> [UInt8] {
        var stream = z_stream()
        // 16 selects the gzip format.
        guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .overloaded  // zlib got no memory.
        }
        defer { inflateEnd(&stream) }
        // An empty content needs a buffer too, because zlib rejects a null pointer.
        let capacity = max(1, contentSize)
        var code = Z_OK
        let content = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                code = inflate(&stream, Z_FINISH)
            }
            count = capacity - Int(stream.avail_out)
        }
        guard code == Z_STREAM_END, stream.avail_in == 0, content.count == contentSize else { throw .malformedGzip }
        return content
    }
}
