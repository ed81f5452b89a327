internal import HTML

extension Markup {
    static let stylesheet = Markup.style(Stylesheet.text)

    /// A field that the user does not see.
    static func hidden(name: String, value: String) -> Markup {
        .void(.input, [.type("hidden"), .name(name), .value(value)])
    }
}

extension Attribute {
    static func action(_ destination: Destination) -> Attribute { action(destination.url) }
    static func classes(_ names: Stylesheet.Class...) -> Attribute { classes(names.map(\.rawValue)) }
    static func href(_ destination: Destination) -> Attribute { href(destination.url) }
}

extension ElementID {
    /// The main element of every page.
    static let content = ElementID("content")
    static let address = ElementID("address")
    /// The button that returns to the app. The scripts of the pages use this ID.
    static let back = ElementID("back")
    static let newAccount = ElementID("newAccount")
    static let notYou = ElementID("notYou")
    static let password = ElementID("password")
    static let passwordRules = ElementID("passwordRules")
    static let problem = ElementID("problem")
    /// The scripts of the pages use this ID.
    static let noResponseNotice = ElementID("stuck")

    /// - Parameter number: position of the checkbox on the page, from 0.
    static func removal(_ number: Int) -> ElementID { ElementID("removal\(number)") }
    static func removalDetails(_ number: Int) -> ElementID { ElementID("removalDetails\(number)") }
}
