internal import HTML

/// The links between the screens of a project's settings.
enum SettingsTabs {
    static func markup(_ current: String, _ context: ScreenContext) -> Markup {
        let tabs = [
            ("Policies", "settings"), ("Providers", "providers"), ("Apps", "apps"), ("Brand", "brand"),
            ("Texts", "texts"), ("Tenants", "tenants"),
        ]
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
