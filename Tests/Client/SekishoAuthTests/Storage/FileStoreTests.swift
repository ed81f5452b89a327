import Foundation
import SekishoAuth
import Testing

@Suite("The file store")
struct FileStoreTests {
    private func withStore(_ body: (FileStore) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sekisho-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(FileStore(directory: directory.appendingPathComponent("store")))
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("Items are kept for other instances of the store, until they are removed")
    func items() throws {
        try withStore { store in
            #expect(try store.load("a") == nil)
            try store.remove("a")
            try store.save(Data("1".utf8), for: "a")
            try store.save(Data("2".utf8), for: "b")
            // More bytes than the store reads at once.
            try store.save(Data(repeating: 7, count: 100_000), for: "a")
            #expect(try FileStore(directory: store.directory).load("a") == Data(repeating: 7, count: 100_000))
            try store.remove("a")
            #expect(try store.load("a") == nil)
            #expect(try store.load("b") == Data("2".utf8))
        }
    }

    @Test("The store is readable only by its owner (directory 0700, file 0600), even with umask 0")
    func modes() throws {
        try withStore { store in
            let previous = umask(0)
            defer { umask(previous) }
            try store.save(Data("x".utf8), for: "a")
            #expect(try permissions(store.directory.path) == 0o700)
            #expect(try permissions(store.directory.appendingPathComponent("a.json").path) == 0o600)
        }
    }

    @Test("A save leaves no temporary file, and a temporary file that a crash has left is ignored")
    func leftovers() throws {
        try withStore { store in
            try store.save(Data("1".utf8), for: "a")
            let leftover = store.directory.appendingPathComponent("a.json.crashed.new")
            try Data("half".utf8).write(to: leftover)
            #expect(try store.load("a") == Data("1".utf8))
            try FileManager.default.removeItem(at: leftover)
            try store.save(Data("2".utf8), for: "a")
            let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
            #expect(Set(files) == [".lock", "a.json"])
        }
    }

    @Test("A symbolic link is an error when it is read, and is replaced when an item is saved")
    func symbolicLink() throws {
        try withStore { store in
            try store.save(Data("1".utf8), for: "a")
            let file = store.directory.appendingPathComponent("a.json")
            let target = store.directory.appendingPathComponent("target")
            try FileManager.default.moveItem(at: file, to: target)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
            #expect(throws: SessionStoreError.self) { try store.load("a") }
            try store.save(Data("2".utf8), for: "a")
            #expect(try store.load("a") == Data("2".utf8))
            #expect(try Data(contentsOf: target) == Data("1".utf8))
        }
    }

    @Test("A reader gets a complete item while others write")
    func atomic() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sekisho-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FileStore(directory: directory)
        try store.save(Data(repeating: 0, count: 20_000), for: "a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for byte in 1...4 as ClosedRange<UInt8> {
                group.addTask {
                    for _ in 0..<25 { try store.save(Data(repeating: byte, count: 20_000), for: "a") }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let item = try #require(try store.load("a"))
                    #expect(item.count == 20_000 && Set(item).count == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("An item is replaced or removed only if it is the expected one")
    func replace() throws {
        try withStore { store in
            #expect(try !store.replace(Data("1".utf8), with: Data("2".utf8), for: "a"))
            try store.save(Data("1".utf8), for: "a")
            #expect(try !store.replace(Data("0".utf8), with: Data("2".utf8), for: "a"))
            #expect(try !store.replace(Data("0".utf8), with: nil, for: "a"))
            #expect(try store.load("a") == Data("1".utf8))
            #expect(try store.replace(Data("1".utf8), with: Data("2".utf8), for: "a"))
            #expect(try store.load("a") == Data("2".utf8))
            #expect(try store.replace(Data("2".utf8), with: nil, for: "a"))
            #expect(try store.load("a") == nil)
        }
    }

    @Test("Of several writers that replace the same item at once, one succeeds")
    func concurrentReplacements() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sekisho-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = FileStore(directory: directory)
        try store.save(Data("0".utf8), for: "a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20 {
                        var isReplaced = false
                        while !isReplaced {
                            let item = try #require(try store.load("a"))
                            let number = try #require(Int(String(decoding: item, as: UTF8.self)))
                            isReplaced = try store.replace(item, with: Data(String(number + 1).utf8), for: "a")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.load("a") == Data("80".utf8))
    }

    @Test("An unusable directory is an error, not a missing item")
    func unusable() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sekisho-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        let store = FileStore(directory: file)
        #expect(throws: SessionStoreError.self) { try store.load("a") }
        #expect(throws: SessionStoreError.self) { try store.save(Data(), for: "a") }
    }
}
