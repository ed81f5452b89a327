internal import API
internal import Identity
internal import Tokens

extension Mode {
    /// - Parameter project: whom requests mean that name none.
    static func dev(_ project: ID<Project>) -> Mode {
        Mode(
            issuers: .firebase,
            access: { directory in .anybody { try await directory.projects.value(for: $0 ?? project) } },
            customTokens: { .unsigned(orElse: .signed(by: $0.backendKey(_:preferably:), clock: $1)) })
    }
}
