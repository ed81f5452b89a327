internal import Gateway
internal import PrivatePostgres

/// The database of `dev`: an existing database, or one in a private PostgreSQL that stops with the process.
package struct DevDatabase: Sendable {
    package let url: String
    private let server: PrivatePostgres?

    package init(url: String?, in directory: DevDirectory) throws {
        if let url {
            self.url = url
            server = nil
            return
        }
        let server = try PrivatePostgres.start(directory: directory.postgres)
        do {
            if try !server.hasDatabase(named: "sekisho") { try server.createDatabase(named: "sekisho") }
        } catch {
            server.stop()
            throw error
        }
        self.server = server
        self.url = server.url(database: "sekisho")
    }

    package var isPrivate: Bool { server != nil }

    package func stop() {
        server?.stop()
    }
}
