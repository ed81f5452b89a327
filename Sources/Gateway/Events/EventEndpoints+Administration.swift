package import Crypto
package import Identity
internal import Postgres
internal import Storage

extension Administration {
    /// Configures event endpoints without a running gateway. It cannot send a test event.
    ///
    /// - Parameter masterKeys: `nil` for operations that make no secret.
    package func eventEndpoints(under masterKeys: MasterKeys? = nil) -> EventEndpoints {
        EventEndpoints(
            store: PostgresEventEndpointStore(pool: pool),
            newSecret: { endpoint, project in
                guard let masterKeys else { throw Failure(message: "a secret needs the master key") }
                return try EventSender.newSecret(of: endpoint, in: project, under: masterKeys)
            }, sendTest: { _, _ in nil }, allowsLoopback: false, onChange: {}, clock: clock)
    }
}
