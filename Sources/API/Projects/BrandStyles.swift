internal import Encoding
internal import Identity
internal import Pages
internal import Synchronization

/// Computes the style of each colour once.
public final class BrandStyles: Sendable {
    /// With this number of styles, a new colour removes all of them.
    private static let capacity = 1000

    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let styles = Mutex<[RGBColor: BrandStyle]>([:])

    public init(sha256: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.sha256 = sha256
    }

    func style(of color: RGBColor) -> BrandStyle {
        if let known = styles.withLock({ $0[color] }) { return known }
        let style = BrandStyle(color) { Base64.encode(sha256(Array($0.utf8))) }
        styles.withLock {
            if $0.count >= Self.capacity { $0 = [:] }
            $0[color] = style
        }
        return style
    }
}
