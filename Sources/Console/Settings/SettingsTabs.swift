internal import HTML

/// The links between the screens of a project's settings.
package enum SettingsTabs {
    private static let tabs = [
        ("Policies", "settings"), ("Providers", "providers"), ("Apps", "apps"), ("Brand", "brand"), ("Texts", "texts"),
        ("Tenants", "tenants"),
    ]

    /// The link of the navigation to all these screens.
    package static func link(_ realm: RealmName) -> PageFrame.Link {
        let paths = tabs.map { ConsolePath.text(realm, [$0.1]) }
        return PageFrame.Link("Settings", paths[0], others: paths)
    }

    static func markup(_ current: String, _ context: ScreenContext) -> Markup {
        let items = tabs.map { label, segment in
            Markup(
                .li,
                [
                    Markup(
                        .a,
                        [.href(URLReference(context.consolePath([segment])))]
                            + (label == current ? [.currentPage] : []), text: label)
                ])
        }
        return Markup(.nav, [.label("Settings")], [Markup(.ul, [.classes(["tabs"])], items)])
    }
}
