internal import Glibc

/// A colour in Oklab (B. Ottosson, 2020), whose lightness agrees with what people see. OKLCH is the same space in polar
/// coordinates, so a colour keeps its hue if ``a`` and ``b`` keep their ratio.
struct OKLab {
    /// From 0 (black) to 1 (white).
    var lightness: Double
    var a: Double
    var b: Double

    init(lightness: Double, a: Double, b: Double) {
        self.lightness = lightness
        self.a = a
        self.b = b
    }

    init(_ color: RGBColor) {
        let (red, green, blue) = (color.red.linear, color.green.linear, color.blue.linear)
        let l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
        a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s
        b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
    }

    /// The colour in sRGB with this lightness and hue, and as much of the chroma as sRGB has.
    var color: RGBColor {
        var (low, high) = (0.0, 1.0)
        guard !isInGamut(chroma: high) else { return rounded(chroma: high) }
        for _ in 0..<12 {
            let middle = (low + high) / 2
            if isInGamut(chroma: middle) { low = middle } else { high = middle }
        }
        return rounded(chroma: low)
    }

    /// - Parameter chroma: the factor of the chroma, from 0 to 1.
    private func linear(chroma: Double) -> [Double] {
        let (a, b) = (a * chroma, b * chroma)
        let l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3)
        let m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3)
        let s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3)
        return [
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
        ]
    }

    private func isInGamut(chroma: Double) -> Bool {
        linear(chroma: chroma).allSatisfy { (-0.0001...1.0001).contains($0) }
    }

    private func rounded(chroma: Double) -> RGBColor {
        let parts = linear(chroma: chroma).map { UInt8(linear: $0) }
        return RGBColor(red: parts[0], green: parts[1], blue: parts[2])
    }
}

extension UInt8 {
    /// The intensity of light that the value of sRGB stands for, from 0 to 1 (IEC 61966-2-1).
    fileprivate var linear: Double {
        let value = Double(self) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// - Parameter intensity: limited to 0 to 1.
    fileprivate init(linear intensity: Double) {
        let intensity = Swift.min(Swift.max(intensity, 0), 1)
        let value = intensity <= 0.0031308 ? intensity * 12.92 : 1.055 * pow(intensity, 1 / 2.4) - 0.055
        self = UInt8((value * 255).rounded())
    }
}

extension RGBColor {
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
    public static let white = RGBColor(red: 255, green: 255, blue: 255)

    /// WCAG 2.2, contrast ratio: from 1 to 21.
    public func contrast(with other: RGBColor) -> Double {
        let (darker, lighter) = (min(luminance, other.luminance), max(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Black or white, whichever has more contrast with this colour: at least 4.58:1.
    public var textColor: RGBColor { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// Returns the colour with the lightness nearest to its own that has a contrast of at least 7:1 on `card`, which is
    /// almost black or almost white, in steps of 1/256.
    public func readable(on card: RGBColor) -> RGBColor {
        let minimum = 7.0
        guard contrast(with: card) < minimum else { return self }
        let original = OKLab(self)
        let end = card.textColor
        let distance = end == .white ? 1 - original.lightness : original.lightness
        for step in 0..<max(Int((distance * 256).rounded(.up)), 0) {
            var moved = original
            moved.lightness += Double(step) / (end == .white ? 256 : -256)
            let candidate = moved.color
            if candidate.contrast(with: card) >= minimum { return candidate }
        }
        return end
    }

    /// WCAG 2.2, relative luminance.
    private var luminance: Double { 0.2126 * red.linear + 0.7152 * green.linear + 0.0722 * blue.linear }
}
