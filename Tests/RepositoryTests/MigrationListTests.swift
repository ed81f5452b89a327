import Postgres
import Storage
import Testing

@Suite("The migrations")
struct MigrationListTests {
    @Test("listed in the binary are the files of the folder, in their order")
    func list() throws {
        let files = try Repository.files(in: "Sources/Storage/Migrations", ending: ".sql")
            .compactMap { $0.split(separator: "/").last?.split(separator: ".").first.map(String.init) }
        #expect([Migration].all.map(\.name) == files)
    }

    @Test("each begin with a comment on why, and never hide a mistake behind IF NOT EXISTS")
    func comments() throws {
        for file in try Repository.files(in: "Sources/Storage/Migrations", ending: ".sql") {
            let text = try Repository.text(file)
            #expect(text.hasPrefix("-- "), "\(file)")
            #expect(!text.contains("IF NOT EXISTS"), "\(file)")
        }
    }
}
