import Glibc
import Testing

@testable import Identity

@Suite("Colours of brands")
struct BrandColorTests {
    /// 16 values of each component.
    static let colors = stride(from: 0, through: 255, by: 17).flatMap { red in
        stride(from: 0, through: 255, by: 17).flatMap { green in
            stride(from: 0, through: 255, by: 17).map { blue in
                RGBColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
            }
        }
    }

    @Test("The text on a button has a contrast of at least 4.58:1 with 4,096 colours")
    func buttons() {
        #expect(Self.colors.count == 4096)
        for color in Self.colors {
            let contrast = color.contrast(with: color.textColor)
            #expect(contrast >= 4.58, "\(color.text): \(contrast)")
        }
    }

    @Test(
        "Text, borders and focus rings have a contrast of at least 7:1 on the card with 4,096 colours, and keep their hue",
        arguments: ["#ffffff", "#1d1f24"])
    func text(card: String) throws {
        let card = try #require(RGBColor(card))
        for color in Self.colors {
            let readable = color.readable(on: card)
            let contrast = readable.contrast(with: card)
            #expect(contrast >= 7, "\(color.text) on \(card.text): \(readable.text), \(contrast)")
            if color.contrast(with: card) >= 7 { #expect(readable == color, "\(color.text) needs no change") }
            // A colour that is almost grey has no hue that eight bits can keep.
            let (old, new) = (OKLab(color), OKLab(readable))
            if hypot(old.a, old.b) > 0.04, hypot(new.a, new.b) > 0.04 {
                let turn = abs(atan2(old.b, old.a) - atan2(new.b, new.a))
                #expect(min(turn, 2 * .pi - turn) < 0.15, "\(color.text) became \(readable.text)")
            }
        }
    }

    @Test(
        "The contrast is that of WCAG 2.2",
        arguments: [
            ("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.478), ("#ff0000", "#ffffff", 3.998),
            ("#1d4ea8", "#ffffff", 7.756), ("#123456", "#123456", 1),
        ])
    func contrast(first: String, second: String, expected: Double) throws {
        let (first, second) = (try #require(RGBColor(first)), try #require(RGBColor(second)))
        #expect(abs(first.contrast(with: second) - expected) < 0.001)
        #expect(first.contrast(with: second) == second.contrast(with: first))
    }

    @Test(
        "Conversion to Oklab agrees with the published values, and back with the colour",
        arguments: [
            ("#ffffff", 1, 0, 0), ("#ff0000", 0.62796, 0.22486, 0.12585), ("#0000ff", 0.45201, -0.03246, -0.31153),
            ("#000000", 0, 0, 0),
        ])
    func oklab(text: String, lightness: Double, a: Double, b: Double) throws {
        let color = try #require(RGBColor(text))
        let lab = OKLab(color)
        #expect(abs(lab.lightness - lightness) < 0.0002 && abs(lab.a - a) < 0.0002 && abs(lab.b - b) < 0.0002)
        #expect(lab.color == color)
    }
}
