internal import CSystem

/// A program to start in its own process group, with "/" as its working directory and with a fixed environment. The
/// program inherits no open descriptors; its standard input is empty.
struct ProcessCommand: Sendable {
    /// The path of the program, and its arguments.
    let words: [String]
    /// A file to which standard output and standard error are appended.
    let output: String

    /// Starts the program and waits until it ends.
    ///
    /// - Returns: the exit code; -1 if a signal ended the program.
    func run() throws(PrivatePostgresError) -> Int32 {
        let process = try start()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard shim_errno() == EINTR else { throw .systemCallFailed(on: words[0]) }
        }
        return shim_exit_code(status)
    }

    /// Starts the program.
    ///
    /// - Returns: the process ID.
    func start() throws(PrivatePostgresError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        posix_spawn_file_actions_addchdir_np(&actions, "/")

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var process = pid_t()
        let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]
        let code = withArguments(words) { words in
            withArguments(environment) { environment in
                posix_spawn(&process, self.words[0], &actions, &attributes, words, environment)
            }
        }
        guard code == 0 else { throw .failed(program: words[0], log: String(cString: strerror(code))) }
        return process
    }
}

private func withArguments<Value>(
    _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("empty list: it must end with nil") }
        return body(base)
    }
}
