import Identity
import Testing

@Suite("Images of brands")
struct ImageHeaderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        /// For example, `image/png 6×4`; `nil` if the image is rejected.
        let expected: String?

        init(_ testDescription: String, _ bytes: [UInt8], _ expected: String? = nil) {
            self.testDescription = testDescription
            self.bytes = bytes
            self.expected = expected
        }
    }

    static let rows: [Row] = [
        Row("PNG", png(), "image/png 6×4"),
        Row("the largest PNG", png(width: 1024, height: 512), "image/png 1024×512"),
        Row("a PNG that is too wide", png(width: 1025)),
        Row("a PNG that is too high", png(height: 513)),
        Row("a PNG without width", png(width: 0)),
        Row("a PNG of four thousand million pixels", png(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF)),
        Row("a PNG without pixels", png(chunks: [])),
        Row("an animated PNG", png(chunks: [("acTL", 8), ("IDAT", 10)])),
        Row("a PNG with a page after it", png() + Array("<script>".utf8)),
        Row("a PNG without end", Array(png().dropLast(12))),
        Row("a PNG with a chunk longer than the file", png(chunks: [("IDAT", 10)], length: 0xFFFF_FFF0)),
        Row("a PNG of 64 KiB", png(chunks: [("IDAT", 65_536 - 57)]), "image/png 6×4"),
        Row("a PNG of more than 64 KiB", png(chunks: [("IDAT", 65_536 - 56)])),
        Row("JPEG", jpeg(), "image/jpeg 6×4"),
        Row("a progressive JPEG", jpeg(frame: 0xC2), "image/jpeg 6×4"),
        Row("a grey JPEG", jpeg(components: 1), "image/jpeg 6×4"),
        Row("a JPEG with fill bytes", jpeg(fill: [0xFF, 0xFF]), "image/jpeg 6×4"),
        Row("a JPEG of CMYK, which browsers show in other colours", jpeg(components: 4)),
        Row("a JPEG with arithmetic coding", jpeg(frame: 0xC9)),
        Row("a lossless JPEG", jpeg(frame: 0xC3)),
        Row("a JPEG of 12 bits", jpeg(precision: 12)),
        Row("a JPEG that is too wide", jpeg(width: 1025)),
        Row("a JPEG without height", jpeg(height: 0)),
        Row("a JPEG with two frames", jpeg(frames: 2)),
        Row("a JPEG without frame", jpeg(frames: 0)),
        Row("a JPEG with a page after it", jpeg() + Array("<script>".utf8)),
        Row("a JPEG with a page between its end and another end", jpeg() + Array("<script>".utf8) + [0xFF, 0xD9]),
        Row("a JPEG with escaped bytes and restart markers", jpeg(pixels: [0xFF, 0, 0xFF, 0xD0, 1]), "image/jpeg 6×4"),
        Row("a JPEG with two scans", jpeg(pixels: [1, 0xFF, 0xDA, 0, 3, 7, 1]), "image/jpeg 6×4"),
        Row("a JPEG whose second scan has no end", jpeg(pixels: [1, 0xFF, 0xDA, 0xFF, 0xFF, 7, 1])),
        Row("a JPEG with an empty segment", [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xD9]),
        Row("a JPEG that ends at once", [0xFF, 0xD8, 0xFF, 0xD9]),
        Row("WebP", webp([lossy()]), "image/webp 6×4"),
        Row("a lossless WebP", webp([lossless()]), "image/webp 6×4"),
        Row("the largest lossless WebP", webp([lossless(width: 1024, height: 512)]), "image/webp 1024×512"),
        Row("an extended WebP", webp([canvas(), ("ICCP", [1]), lossy()]), "image/webp 6×4"),
        Row("an animated WebP", webp([canvas(flags: 2), ("ANIM", [0, 0, 0, 0, 0, 0]), lossy()])),
        Row("an animated WebP without the flag", webp([canvas(), ("ANIM", [0, 0, 0, 0, 0, 0]), lossy()])),
        Row("a WebP whose canvas hides a larger image", webp([canvas(), lossy(width: 5000)])),
        Row("a WebP with a canvas only", webp([canvas()])),
        Row("a WebP that is too wide", webp([lossy(width: 1025)])),
        Row("a WebP of another version", webp([lossless(version: 1)])),
        Row("a WebP with a page after it", webp([lossy()]) + Array("<script>".utf8)),
        Row("a WebP that begins with an inter frame", webp([("VP8 ", [1, 0, 0, 0x9D, 1, 0x2A, 6, 0, 4, 0])])),
        Row("a page before a PNG", Array("<script></script>".utf8) + png()),
        Row(
            "an SVG after a byte order mark",
            [0xEF, 0xBB, 0xBF] + Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
        Row("a compressed SVG", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]),
        Row("an AVIF", [0, 0, 0, 0x1C] + Array("ftypavif".utf8)),
        Row("an icon", [0, 0, 1, 0, 1, 0, 6, 4]),
        Row("SVG", Array("<svg xmlns='http://www.w3.org/2000/svg' width='6' height='4'/>".utf8)),
        Row("HTML", Array("<!DOCTYPE html><script>alert(1)</script>".utf8)),
        Row("GIF", Array("GIF89a".utf8) + [6, 0, 4, 0, 0, 0, 0, 0x3B]),
        Row("nothing", []),
    ]

    @Test("An image has one of three formats, a limited size, and nothing after its end", arguments: rows)
    func header(row: Row) {
        let header = ImageHeader(row.bytes)
        #expect(header.map { "\($0.format.rawValue) \($0.width)×\($0.height)" } == row.expected)
    }

    @Test("A part of an image is not an image", arguments: rows.filter { $0.expected != nil && $0.bytes.count < 200 })
    func prefixes(row: Row) {
        for count in row.bytes.indices { #expect(ImageHeader(Array(row.bytes[..<count])) == nil, "\(count) bytes") }
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

    /// - Parameter length: the length that each of `chunks` states (default: its length).
    private static func png(
        width: Int = 6, height: Int = 4, chunks: [(String, Int)] = [("IDAT", 10)], length: Int? = nil
    ) -> [UInt8] {
        func chunk(_ type: String, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
            big(length ?? data.count, 4) + Array(type.utf8) + data + [0, 0, 0, 0]
        }
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += chunk("IHDR", big(width, 4) + big(height, 4) + [8, 6, 0, 0, 0])
        for (type, count) in chunks { bytes += chunk(type, Array(repeating: 0, count: count), length: length) }
        return bytes + chunk("IEND", [])
    }

    private static func jpeg(
        width: Int = 6, height: Int = 4, frame: UInt8 = 0xC0, frames: Int = 1, components: Int = 3,
        precision: UInt8 = 8,
        fill: [UInt8] = [], pixels: [UInt8] = [0x12, 0x34]
    ) -> [UInt8] {
        func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
            fill + [0xFF, marker] + big(data.count + 2, 2) + data
        }
        let size = [precision] + big(height, 2) + big(width, 2) + [UInt8(components)]
        let frameSegment = segment(frame, size + Array(repeating: 1, count: 3 * components))
        var bytes: [UInt8] = [0xFF, 0xD8] + segment(0xE0, Array("JFIF".utf8))
        for _ in 0..<frames { bytes += frameSegment }
        return bytes + segment(0xDA, [1, 2, 3]) + pixels + [0xFF, 0xD9]
    }

    private static func webp(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        var body: [UInt8] = []
        for (type, data) in chunks {
            body += Array(type.utf8) + little(data.count, 4) + data
            if data.count % 2 == 1 { body.append(0) }
        }
        return Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    private static func lossy(width: Int = 6, height: Int = 4) -> (String, [UInt8]) {
        ("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2))
    }

    private static func lossless(width: Int = 6, height: Int = 4, version: Int = 0) -> (String, [UInt8]) {
        ("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14 | version << 29, 4))
    }

    private static func canvas(width: Int = 6, height: Int = 4, flags: UInt8 = 0) -> (String, [UInt8]) {
        ("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }
}
