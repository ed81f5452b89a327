/// An environment variable that `Deploy/sekisho.env.example` lists.
package struct Setting: Sendable {
    let name: String
    /// The default as it would be written in the environment; `nil` if there is none.
    let fallback: String?
    let meaning: String
    /// Whether an empty value differs from a variable that is not set.
    var takesEmpty = false
    /// Whether errors must not show the value.
    var isSecret = false
}
