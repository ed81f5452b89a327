internal import Encoding
internal import HTML
package import HTTP

/// Screens for requests that no screen handles.
package enum RefusalScreens {
    /// For a form whose body was not read, because it is too large. Links back to the page of the form.
    ///
    /// - Parameter advice: what else helps.
    package static func tooLargeForm(_ request: Request, advice: String = "") -> Screen {
        let isBrand = request.path.endsExactly(with: "/brand")
        let rule =
            isBrand
            ? "An image has at most 64 KiB, and 1024 × 512 pixels. It is a PNG, JPEG or WebP file without animation."
            : "A form has at most 64 KiB. \(advice)"
        let query = request.query.map { ($0.name.rawValue, $0.value) }
        let path = request.path + (query.isEmpty ? "" : "?" + PercentEncoding.encode(form: query))
        return Screen(
            isBrand ? "The image is too large" : "The form is too large", status: 413,
            [
                .paragraph("Nothing was changed. \(rule)"),
                .markup(Markup(.p, [.link(path, .text("Back to the form"))])),
            ])
    }
}
