internal import CSystem

/// The system user that runs PostgreSQL's programs: the user of this process or, if that user is root, an unprivileged
/// account.
struct ServerUser {
    /// The unprivileged account; `nil` if the programs run as the user of this process.
    private let account: (user: uid_t, group: gid_t)?

    /// - Throws: ``PrivatePostgresError/missing(_:instruction:)`` if root has no unprivileged account to use.
    init() throws(PrivatePostgresError) {
        guard geteuid() == 0 else {
            account = nil
            return
        }
        guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
            throw .missing("an account named postgres or nobody", instruction: "create one, or do not run as root")
        }
        account = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    private var id: uid_t { account?.user ?? geteuid() }

    /// Returns a command that runs `program` as this user. The program is interrupted (SIGINT) when the thread that
    /// started it ends.
    ///
    /// - Parameter output: the file to which the output is appended.
    func command(
        _ program: String, _ arguments: [String], output: String
    ) throws(PrivatePostgresError) -> ProcessCommand {
        guard let setpriv = Programs.find("setpriv") else {
            throw .missing("the program setpriv", instruction: "install the package util-linux")
        }
        var words = [setpriv, "--pdeathsig", "INT"]
        if let account {
            words += ["--reuid", "\(account.user)", "--regid", "\(account.group)", "--clear-groups"]
        }
        return ProcessCommand(words: words + ["--", program] + arguments, output: output)
    }

    /// Whether the unprivileged account has search permission for `directory` and all its parents. Always `true`
    /// without such an account.
    ///
    /// - Parameter log: the file to which errors of the check are appended.
    func canSearch(_ directory: String, log: String) throws(PrivatePostgresError) -> Bool {
        guard account != nil else { return true }
        guard let test = Programs.find("test") else {
            throw .missing("the program test", instruction: "install the package coreutils")
        }
        return try command(test, ["-x", directory], output: log).run() == 0
    }

    /// Creates a directory that only this user can enter, or restricts an existing directory to this user.
    ///
    /// - Throws: ``PrivatePostgresError/pathNotUsable(path:reason:)``, for example if another user owns the
    ///   directory.
    func makePrivateDirectory(_ path: String) throws(PrivatePostgresError) {
        if mkdir(path, 0o700) == 0 {
            guard let account else { return }
            guard lchown(path, account.user, account.group) == 0 else { throw .systemCallFailed(on: path) }
            return
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .systemCallFailed(on: path) }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR), status.st_uid == id else {
            throw .pathNotUsable(path: path, reason: "it is not a directory of user \(id)")
        }
        guard chmod(path, 0o700) == 0 else { throw .systemCallFailed(on: path) }
    }
}
