public import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// Stores each session in a file that only its owner can read (directory 0700, file 0600). On Apple's systems, the
/// directory is excluded from backups, so that sessions are not restored on another device.
///
/// Writes are atomic: a new file is flushed to the disk and then renamed over the old one. A lock on the file `.lock`
/// in the directory separates the writes of several processes. The system releases the lock of a process that ends.
public struct FileStore: SessionStore {
    /// The directory of the files.
    public let directory: URL

    /// Creates a store.
    ///
    /// - Parameter directory: the directory of the files (default: `sekisho` in the application support directory; on
    ///   Linux, in `$XDG_DATA_HOME` or `~/.local/share`).
    public init(directory: URL? = nil) {
        self.directory = directory ?? Self.standardDirectory
    }

    /// Returns the contents of a key's file, or `nil` if it does not exist.
    ///
    /// - Throws: ``SessionStoreError/failed(_:)``.
    public func load(_ key: String) throws -> Data? {
        let descriptor = open(path(of: key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open")
        }
        defer { close(descriptor) }
        var contents = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return contents }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw Self.failure("read")
            }
            contents.append(contentsOf: buffer.prefix(count))
        }
    }

    /// Replaces the file of a key, or creates it.
    ///
    /// - Throws: ``SessionStoreError/failed(_:)``.
    public func save(_ item: Data, for key: String) throws {
        try withLock { try replaceFile(of: key, with: item) }
    }

    /// Replaces or removes the file of a key if its contents are `expected`.
    ///
    /// - Throws: ``SessionStoreError/failed(_:)``.
    public func replace(_ expected: Data, with new: Data?, for key: String) throws -> Bool {
        try withLock {
            guard try load(key) == expected else { return false }
            if let new { try replaceFile(of: key, with: new) } else { try removeFile(of: key) }
            return true
        }
    }

    /// Removes the file of a key if it exists.
    ///
    /// - Throws: ``SessionStoreError/failed(_:)``.
    public func remove(_ key: String) throws {
        try withLock { try removeFile(of: key) }
    }

    /// Runs `body` while no other process or thread writes.
    private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try makeDirectory()
        let path = directory.appendingPathComponent(".lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        try acquireLock(descriptor)
        return try body()
    }

    /// Waits for the lock, at most two seconds, because a suspended process can hold it.
    private func acquireLock(_ descriptor: Int32) throws {
        for _ in 0..<200 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.failure("flock") }
            usleep(10_000)
        }
        throw SessionStoreError.failed("another process holds the lock of \(directory.path)")
    }

    private func replaceFile(of key: String, with item: Data) throws {
        // A process that ends during the write leaves its file, so each write uses another name.
        let temporary = path(of: key) + "." + UUID().uuidString + ".new"
        do {
            try write(item, to: temporary)
            guard rename(temporary, path(of: key)) == 0 else { throw Self.failure("rename") }
        } catch {
            unlink(temporary)
            throw error
        }
        synchronizeDirectory()
    }

    private func removeFile(of key: String) throws {
        guard unlink(path(of: key)) == 0 || errno == ENOENT else { throw Self.failure("unlink") }
        synchronizeDirectory()
    }

    private func path(of key: String) -> String { directory.appendingPathComponent(key + ".json").path }

    private func makeDirectory() throws {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SessionStoreError.failed("cannot create the directory \(directory.path)")
        }
        #if canImport(Darwin)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var directory = directory
            // Users must be able to sign in even if the volume does not support this attribute.
            try? directory.setResourceValues(values)
        #endif
    }

    private func write(_ item: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        var remaining = [UInt8](item)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write") }
            remaining = remaining.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync") }
    }

    /// Flushes the directory, so that a rename or a removal survives a power failure. Ignores errors, because every
    /// file is complete without the flush.
    private func synchronizeDirectory() {
        let descriptor = open(directory.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ call: String) -> SessionStoreError { .failed("\(call): errno \(errno)") }

    private static var standardDirectory: URL {
        #if os(Linux)
            let environment = ProcessInfo.processInfo.environment
            let base =
                environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
        #else
            let base =
                FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory
        #endif
        return base.appendingPathComponent("sekisho")
    }
}

/// Calls `write` of the C library, which the method with the same name shadows.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
