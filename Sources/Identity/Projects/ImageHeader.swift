/// The format and the size of an image, as its bytes state them.
///
/// The initializer accepts one still image in one of three formats and nothing after it, so that a file cannot be an
/// image and a page at once, and an image is no animation that a reader cannot stop. It reads only the structure of the
/// file, never the pixels, in time linear in the number of bytes.
public struct ImageHeader: Hashable, Sendable {
    public enum Format: String, CaseIterable, Codable, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webp = "image/webp"
    }

    public let format: Format
    /// In pixels.
    public let width: Int
    public let height: Int

    public static let byteLimit = 64 * 1024
    public static let maximumWidth = 1024
    public static let maximumHeight = 512

    /// What an image must be, for an error message.
    public static let rule =
        "a PNG, JPEG or WebP image of at most 64 KiB and \(maximumWidth) × \(maximumHeight) pixels, without animation"

    /// - Returns: `nil` unless `bytes` are an image that ``rule`` permits.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit else { return nil }
        guard let (format, size) = ImageFile(bytes).found,
            (1...Self.maximumWidth).contains(size.width), (1...Self.maximumHeight).contains(size.height)
        else { return nil }
        self.format = format
        width = size.width
        height = size.height
    }

    /// The header of an image that was stored.
    public init(stored format: Format, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }
}

/// Which rule a file breaks that is no image of a brand.
public enum ImageFault: Hashable, Sendable {
    case empty
    /// The number of bytes.
    case tooLarge(Int)
    /// The size in pixels.
    case tooManyPixels(width: Int, height: Int)
    case animated
    /// The file begins as an image of a permitted format, but is not one.
    case damaged
    case otherFormat

    /// - Parameter bytes: a file that ``ImageHeader`` does not accept.
    public init(in bytes: [UInt8]) {
        let file = ImageFile(bytes)
        if bytes.isEmpty {
            self = .empty
        } else if !file.beginsAsImage {
            self = .otherFormat
        } else if bytes.count > ImageHeader.byteLimit {
            self = .tooLarge(bytes.count)
        } else if let found = file.found {
            self = .tooManyPixels(width: found.size.width, height: found.size.height)
        } else {
            self = file.namesAnimation ? .animated : .damaged
        }
    }

    /// What the file has or is, for an error message.
    public var text: String {
        switch self {
        case .empty: "is empty"
        case .tooLarge(let count): "has \(count) bytes"
        case .tooManyPixels(let width, let height): "has \(width) × \(height) pixels"
        case .animated: "is animated"
        case .damaged:
            "is incomplete, has other data after the image, or has a kind of pixels that not all browsers show"
        case .otherFormat: "is not a PNG, JPEG or WebP file"
        }
    }
}

/// The bytes of a file that may be an image.
private struct ImageFile {
    typealias Found = (ImageHeader.Format, size: (width: Int, height: Int))

    let bytes: [UInt8]

    var found: Found? { png ?? jpeg ?? webp }

    var beginsAsImage: Bool {
        has([0x89, 0x50, 0x4E, 0x47], at: 0) || has([0xFF, 0xD8, 0xFF], at: 0)
            || has("RIFF", at: 0) && has("WEBP", at: 8)
    }

    /// Whether the name of a chunk of animations occurs, perhaps in the pixels.
    var namesAnimation: Bool {
        let names = ["acTL", "fcTL", "ANIM", "ANMF"].map { Array($0.utf8) }
        return bytes.indices.dropLast(3).contains { offset in names.contains { has($0, at: offset) } }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The number in `count` bytes at `offset`; `nil` beyond the end of the file.
    private func number(_ offset: Int, _ count: Int, isLittleEndian: Bool = false) -> Int? {
        guard offset >= 0, count <= bytes.count - offset else { return nil }
        let part = bytes[offset..<offset + count]
        return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }

    private func has(_ expected: [UInt8], at offset: Int) -> Bool {
        offset >= 0 && expected.count <= bytes.count - offset
            && bytes[offset..<offset + expected.count].elementsEqual(expected)
    }

    private func has(_ tag: String, at offset: Int) -> Bool { has(Array(tag.utf8), at: offset) }
}

/// PNG (ISO/IEC 15948).
extension ImageFile {
    var png: Found? {
        guard has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), number(8, 4) == 13, has("IHDR", at: 12),
            let width = number(16, 4), let height = number(20, 4)
        else { return nil }
        var offset = 8
        var hasPixels = false
        // A chunk: length, type, data, checksum.
        while let length = number(offset, 4), length <= bytes.count {
            // The chunks of an animation.
            for name in ["acTL", "fcTL", "fdAT"] where has(name, at: offset + 4) { return nil }
            hasPixels = hasPixels || has("IDAT", at: offset + 4)
            let isEnd = has("IEND", at: offset + 4)
            offset += length + 12
            if isEnd { return hasPixels && offset == bytes.count ? (.png, (width, height)) : nil }
        }
        return nil
    }
}

/// JPEG (ITU-T T.81): Huffman-coded, sequential or progressive, in grey or with three components.
extension ImageFile {
    var jpeg: Found? {
        guard has([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
        var size: (width: Int, height: Int)?
        var hasPixels = false
        var offset = 2
        // A segment: marker, length, data.
        while number(offset, 1) == 0xFF, let marker = number(offset + 1, 1) {
            guard marker != 0xFF else {
                // A fill byte.
                offset += 1
                continue
            }
            // The end of the image.
            if marker == 0xD9 { return hasPixels && offset + 2 == bytes.count ? size.map { (.jpeg, $0) } : nil }
            guard let length = number(offset + 2, 2), length >= 2, offset + 2 + length <= bytes.count else {
                return nil
            }
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                guard size == nil, number(offset + 4, 1) == 8, let height = number(offset + 5, 2),
                    let width = number(offset + 7, 2), [1, 3].contains(number(offset + 9, 1))
                else { return nil }
                size = (width, height)
            // Other kinds of frames, which browsers do not show.
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return nil
            // The start of a scan, whose pixels follow.
            case 0xDA:
                guard size != nil else { return nil }
                hasPixels = true
                offset = endOfPixels(from: offset + 2 + length)
                continue
            // These have no length, and none of them may come outside the pixels.
            case 0x00, 0x01, 0xD0...0xD8: return nil
            default: break
            }
            offset += 2 + length
        }
        return nil
    }

    /// The offset of the next marker that is neither an escaped byte of the pixels nor a restart marker.
    private func endOfPixels(from start: Int) -> Int {
        var offset = start
        while offset + 1 < bytes.count {
            let isMarker = bytes[offset] == 0xFF && bytes[offset + 1] != 0 && !(0xD0...0xD7).contains(bytes[offset + 1])
            if isMarker { return offset }
            offset += 1
        }
        return bytes.count
    }
}

/// WebP (RFC 9649).
extension ImageFile {
    var webp: Found? {
        guard has("RIFF", at: 0), has("WEBP", at: 8), let length = little(4, 4), length == bytes.count - 8 else {
            return nil
        }
        guard let canvas = extendedCanvas else { return pixels(at: 12).map { (.webp, $0) } }
        var offset = 12
        // A chunk: type, length, data, and a byte of padding after an odd length.
        while let length = little(offset + 4, 4), length <= bytes.count - offset - 8 {
            if has("ANIM", at: offset) || has("ANMF", at: offset) { return nil }
            if let size = pixels(at: offset) { return size == canvas ? (.webp, canvas) : nil }
            offset += 8 + length + length % 2
        }
        return nil
    }

    private func little(_ offset: Int, _ count: Int) -> Int? { number(offset, count, isLittleEndian: true) }

    /// The size in the chunk `VP8X`, which comes first in a file with several chunks; `nil` without this chunk, and for
    /// an animation.
    private var extendedCanvas: (width: Int, height: Int)? {
        guard has("VP8X", at: 12), little(16, 4) == 10, let flags = number(20, 1), flags & 0x02 == 0,
            let width = little(24, 3), let height = little(27, 3)
        else { return nil }
        return (width + 1, height + 1)
    }

    /// The size of the image in the chunk at `offset`; `nil` if the chunk contains no image.
    private func pixels(at offset: Int) -> (width: Int, height: Int)? {
        let data = offset + 8
        guard let length = little(offset + 4, 4), length <= bytes.count - data else { return nil }
        if has("VP8 ", at: offset), length >= 10, has([0x9D, 0x01, 0x2A], at: data + 3), let tag = number(data, 1),
            tag & 1 == 0, let width = little(data + 6, 2), let height = little(data + 8, 2)
        {
            return (width & 0x3FFF, height & 0x3FFF)
        }
        if has("VP8L", at: offset), length >= 5, number(data, 1) == 0x2F, let bits = little(data + 1, 4),
            bits >> 29 == 0
        {
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        return nil
    }
}
