internal import CQREncode

/// A QR code (ISO/IEC 18004) of the lowest error correction, which a screen needs. libqrencode computes the modules.
public struct QRCode: Sendable {
    /// The maximum length of a text in UTF-8, in bytes: that of version 9, whose drawing still suits a small page.
    public static let maximumLength = 230

    /// The number of modules in a row, without the quiet zone.
    public let width: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// - Returns: `nil` if the text is empty, or longer than ``maximumLength``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
        let encoded = bytes.withUnsafeBufferPointer { buffer in
            // Version 0 stands for the smallest one that has enough room.
            QRcode_encodeData(Int32(buffer.count), buffer.baseAddress, 0, QR_ECLEVEL_L)
        }
        guard let encoded else { return nil }
        defer { QRcode_free(encoded) }
        guard let data = encoded.pointee.data else { return nil }
        let width = Int(encoded.pointee.width)
        self.width = width
        // The lowest bit of a module is its colour.
        modules = (0..<width * width).map { data[$0] & 1 == 1 }
    }

    /// Whether a module is dark.
    public func isDark(x: Int, y: Int) -> Bool { modules[y * width + x] }

    /// The dark modules of a row: the first one of each run, and the length of the run.
    func runs(in y: Int) -> [(start: Int, length: Int)] {
        var runs: [(start: Int, length: Int)] = []
        for x in 0..<width where isDark(x: x, y: y) {
            if let last = runs.last, last.start + last.length == x {
                runs[runs.count - 1].length += 1
            } else {
                runs.append((x, 1))
            }
        }
        return runs
    }
}
