internal import Encoding

/// Decodes a chunked body that arrives in pieces (RFC 9112 §7.1). Ignores chunk extensions and discards trailer fields.
///
/// Stricter than the RFC, so that a proxy in front of the server cannot interpret a body differently: a line ends with
/// CRLF, no white space follows a chunk's size, and a size has at most 8 digits.
struct ChunkedDecoder {
    /// The maximum number of bytes of all chunk extensions and trailer fields together.
    static let ignoredBytesLimit = 4096
    private static let sizeDigitsLimit = 8

    private enum State {
        case size
        case chunkExtension
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailerStart
        case trailer
        case trailerLineFeed
        case lastLineFeed
        case complete
    }

    private var state = State.size
    /// The size of the current chunk; then the number of its bytes that have not arrived.
    private var remaining = 0
    private var sizeDigits = 0
    private var ignoredBytes = 0

    /// Whether the body has ended.
    var isComplete: Bool { state == .complete }

    /// Appends the data of the chunks to `body`.
    ///
    /// - Parameter limit: the maximum size of `body`. A chunk that exceeds it is rejected before its data is read.
    /// - Returns: the number of bytes that belong to the body; fewer than all only if the body is complete.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into body: inout [UInt8], limit: Int
    ) throws(BodyRejection) -> Int {
        var position = 0
        while position < bytes.count, state != .complete {
            if state == .data {
                let end = min(position + remaining, bytes.count)
                body.append(contentsOf: bytes[position..<end])
                remaining -= end - position
                position = end
                if remaining == 0 { state = .dataCarriageReturn }
            } else {
                try process(bytes[position], capacity: limit - body.count)
                position += 1
            }
        }
        return position
    }

    /// Processes a byte outside of the data.
    private mutating func process(_ byte: UInt8, capacity: Int) throws(BodyRejection) {
        switch (state, byte) {
        case (.size, UInt8(ascii: ";")) where sizeDigits > 0: state = .chunkExtension
        case (.size, carriageReturn) where sizeDigits > 0, (.chunkExtension, carriageReturn): state = .sizeLineFeed
        case (.size, _): try addSizeDigit(byte)
        case (.trailer, carriageReturn): state = .trailerLineFeed
        case (.chunkExtension, _), (.trailer, _): try ignore(byte)
        case (.sizeLineFeed, lineFeed):
            guard remaining <= capacity else { throw .tooLarge }
            sizeDigits = 0
            state = remaining > 0 ? .data : .trailerStart
        case (.dataCarriageReturn, carriageReturn): state = .dataLineFeed
        case (.dataLineFeed, lineFeed): state = .size
        case (.trailerStart, carriageReturn): state = .lastLineFeed
        case (.trailerStart, _) where byte.isTokenCharacter:
            try ignore(byte)
            state = .trailer
        case (.trailerLineFeed, lineFeed): state = .trailerStart
        case (.lastLineFeed, lineFeed): state = .complete
        default: throw .malformedChunk
        }
    }

    private mutating func addSizeDigit(_ byte: UInt8) throws(BodyRejection) {
        sizeDigits += 1
        guard sizeDigits <= Self.sizeDigitsLimit, let digit = Hexadecimal.value(of: byte) else { throw .malformedChunk }
        remaining = remaining << 4 | Int(digit)
    }

    private mutating func ignore(_ byte: UInt8) throws(BodyRejection) {
        ignoredBytes += 1
        guard ignoredBytes <= Self.ignoredBytesLimit, !byte.isControl || byte == UInt8(ascii: "\t") else {
            throw .malformedChunk
        }
    }
}

private let carriageReturn = UInt8(ascii: "\r")
private let lineFeed = UInt8(ascii: "\n")
