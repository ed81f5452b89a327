import Postgres
import Storage
import Testing

@Suite("Migrations")
struct MigrationListTests {
    @Test("The binary contains the migrations of Sources/Storage/Migrations, in the order of their names")
    func list() throws {
        let files = try Repository.files(in: "Sources/Storage/Migrations", ending: ".sql")
            .compactMap { $0.split(separator: "/").last?.split(separator: ".").first.map(String.init) }
        #expect([Migration].all.map(\.name) == files)
    }

    @Test("Each migration begins with a comment and does not contain IF NOT EXISTS")
    func comments() throws {
        for file in try Repository.files(in: "Sources/Storage/Migrations", ending: ".sql") {
            let text = try Repository.text(file)
            #expect(text.hasPrefix("-- "), "\(file)")
            #expect(!text.contains("IF NOT EXISTS"), "\(file)")
        }
    }
}
