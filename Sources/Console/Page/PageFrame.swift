package import HTML
package import HTTP

/// What surrounds a screen: navigation, the switch between projects and tenants, and banners.
package struct PageFrame: Sendable {
    package struct Link: Sendable {
        let label: String
        let path: String
        /// The paths of further pages to which the link belongs.
        let others: [String]

        package init(_ label: String, _ path: String, others: [String] = []) {
            self.label = label
            self.path = path
            self.others = others
        }

        /// Whether the page belongs to the link.
        func contains(_ page: String) -> Bool {
            ([path] + others).contains { path in
                let target = path.prefix { $0 != "?" }
                return target == page[...] || (target != "/" && page.utf8.starts(with: "\(target)/".utf8))
            }
        }
    }

    let product: Link
    let links: [Link]
    /// The switches between projects and between tenants.
    let switches: [Markup]
    let banners: [Markup]

    package init(product: Link, links: [Link], switches: [Markup], banners: [Markup]) {
        self.product = product
        self.links = links
        self.switches = switches
        self.banners = banners
    }

    /// Returns the response with a screen.
    package func response(_ screen: Screen, _ context: ScreenContext) -> Response {
        response(screen, ScreenRenderer(screen: screen, context: context).content, path: context.request.path)
    }

    /// Returns the response with a screen without forms.
    package func response(_ screen: Screen, path: String) -> Response {
        let content = screen.blocks.compactMap { block in
            if case .markup(let markup) = block { markup } else { nil }
        }
        return response(screen, [Markup(.h1, text: screen.title)] + content, path: path)
    }

    private func response(_ screen: Screen, _ content: [Markup], path: String) -> Response {
        let prefix = screen.problem == nil ? "" : "Error: "
        let html = Markup.document(
            language: "en",
            head: [
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                .void(.meta, [.name("robots"), .content("noindex")]),
                Markup(.title, text: "\(prefix)\(screen.isolatedTitle) – \(product.label)"),
                .stylesheet(from: URLReference(ConsoleStylesheet.path)),
            ],
            body: Markup(
                .body,
                [
                    Markup(.a, [.classes(["skip"]), .href(URLReference("#main"))], text: "Skip to content"),
                    Markup(.header, [navigation(at: path)] + switches + banners),
                ] + [Markup(.main, [.id(ElementID("main"))], content)]
                    + (screen.script.map { [Markup.script($0.text)] } ?? [])))
        return Response(
            status: screen.status, headers: Self.headers(script: screen.script, hasImages: screen.hasImages),
            body: Array(html.utf8))
    }

    private func navigation(at path: String) -> Markup {
        let items = links.map { link in
            Markup(
                .li,
                [
                    Markup(
                        .a, [.href(URLReference(link.path))] + (link.contains(path) ? [.currentPage] : []),
                        text: link.label)
                ])
        }
        return Markup(
            .nav, [.label("Pages")],
            [
                Markup(.a, [.classes(["product"]), .href(URLReference(product.path))], text: product.label),
                Markup(.ul, items),
            ])
    }

    private static func headers(script: ScreenScript?, hasImages: Bool) -> Headers {
        let images = hasImages ? "img-src 'self'; " : ""
        let script =
            script.map { script in
                "script-src 'sha256-\(script.sha256)'; " + (script.sendsRequests ? "connect-src 'self'; " : "")
            } ?? ""
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src 'self'; \(script)\(images)frame-src 'self'; form-action 'self'; "
                + "frame-ancestors 'none'; base-uri 'none'",
            "Content-Language": "en",
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Vary": "Accept",
        ]
    }
}
