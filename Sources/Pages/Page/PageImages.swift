internal import HTML
internal import Identity

extension Page {
    /// The logo of the brand, otherwise the name of the project.
    var nameOrLogo: [Markup] {
        guard let name = context.projectName else { return [] }
        guard let logo = context.brand.logo, let url = context.url(of: logo) else {
            return [Markup(.p, [.classes(.project)], [.isolated(name)])]
        }
        let dark = context.brand.darkLogo.flatMap(context.url).map {
            Markup.void(.source, [.media("(prefers-color-scheme: dark)"), .srcset($0)])
        }
        let image = Markup.void(
            .img, [.src(url), .alt(name), .width(logo.header.width), .height(logo.header.height)])
        return [Markup(.p, [.classes(.project)], [Markup(.picture, [dark, image].compactMap(\.self))])]
    }

    /// The icon of the page in the browser.
    var icon: [Markup] {
        guard let url = context.brand.favicon.flatMap(context.url) else { return [] }
        return [.void(.link, [.iconRelation, .href(url)])]
    }
}

extension Page.Context {
    /// - Returns: `nil` if the page shows no images.
    fileprivate func url(of image: BrandImage) -> URLReference? {
        imageDirectory.map { URLReference($0 + image.id.rawValue) }
    }

    /// The directive for images of a Content-Security-Policy, with a space at the end; empty if the page shows no
    /// images.
    var imagePolicy: String {
        imageDirectory == nil || brand.images.isEmpty ? "" : "img-src 'self'; "
    }
}
