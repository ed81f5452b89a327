extension Claims {
    /// Whether a claim of that name could be mistaken for one of ``reserved``, also by readers that ignore case.
    public static func isReserved(_ name: String) -> Bool { reserved.contains(folded(name)) }

    /// The same for all names that such a reader takes for one. Upper case comes first: there are letters, such as the
    /// long s, that only so become ASCII.
    public static func folded(_ name: String) -> String { name.uppercased().lowercased() }

    /// - Returns: the first, in the order of the alphabet, so that answers do not vary.
    public static func firstReserved(among names: some Sequence<String>) -> String? {
        names.filter(isReserved).min()
    }
}
