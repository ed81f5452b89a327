public import HTML

extension Markup {
    /// The width of the light zone around a QR code, in modules (ISO/IEC 18004 §5.3.8).
    private static let quietZone = 4
    /// In CSS pixels.
    private static let moduleSize = 4

    /// A QR code as an image, black on white also where the page is dark, because readers expect it.
    ///
    /// - Parameter title: what a screen reader says instead of the image.
    public static func qrCode(_ code: QRCode, title: String) -> Markup {
        let titleID = ElementID("qr-title")
        let size = code.width + 2 * quietZone
        return Markup(
            .svg,
            [
                .viewBox(width: size, height: size), .width(size * moduleSize), .height(size * moduleSize),
                .role("img"), .labelledBy(titleID), .crispEdges,
            ],
            [
                Markup(.title, [.id(titleID)], text: title),
                Markup(.rect, [.width(size), .height(size), .fill("#fff")]),
                Markup(.path, [.stroke("#000"), .shape(shape(of: code))]),
            ])
    }

    /// One line for each run of dark modules, through the middle of its row: a line is as wide as a module.
    private static func shape(of code: QRCode) -> [PathCommand] {
        var commands: [PathCommand] = []
        for y in 0..<code.width {
            var end: Int?
            for run in code.runs(in: y) {
                if let end {
                    commands.append(.moveRight(by: 10 * (run.start - end)))
                } else {
                    commands.append(.move(x: 10 * (run.start + quietZone), y: 10 * (y + quietZone) + 5))
                }
                commands.append(.horizontal(by: 10 * run.length))
                end = run.start + run.length
            }
        }
        return commands
    }
}
