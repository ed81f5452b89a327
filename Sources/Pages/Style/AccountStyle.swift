internal import HTML

/// The rules for pages about an account: groups of choices, values that cannot be changed, and lists of links. They
/// follow the ``Stylesheet``, and the pages of a sign-in do not contain them.
enum AccountStyle {
    /// As ``Stylesheet/text``.
    static let text: StaticString = """
        input[readonly]{padding-inline-start:0;border-color:transparent}\
        fieldset{margin:1.5rem 0 0;padding:0;border:0}legend{padding:0}\
        input[readonly],legend{font-weight:600}.choice .note{grid-column:2}\
        nav ul{display:flex;flex-wrap:wrap;gap:0 1.5rem;margin:1rem 0 0;padding:0;list-style:none}\
        nav li a{display:inline-block;min-width:2.75rem;padding:.625rem 0;color:inherit}nav .note{margin-top:.25rem}
        """

    /// SHA-256 of ``text`` in base64.
    static let sha256 = "Vqf4NTYs+aiDvDnGnZKvliRA7Ezkxmrnl+epJzfCKcA="
}
