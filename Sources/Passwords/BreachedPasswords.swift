internal import Crypto
internal import Encoding
public import HTTP
public import Identity
internal import Synchronization

/// A list of breached passwords with the range protocol of Pwned Passwords: it is told five of the forty digits of a
/// password's SHA-1, and answers with every suffix it has for them.
public struct BreachedPasswordList: Hashable, Sendable {
    /// Pwned Passwords itself.
    public static let publicURL = "https://api.pwnedpasswords.com/range/"

    /// With a slash at the end; https, or http on this machine.
    public let url: String

    public init(url: String) {
        self.url = url
    }

    /// Who names a list of their own may have it in their own network.
    fileprivate var destination: ClientRequest.Destination {
        url == Self.publicURL ? .configured(allowingPrivate: false) : .anywhere
    }
}

/// Why a list could not be asked.
public enum BreachListFault: Error, Hashable {
    case status(Int)
    /// The answer is no list of suffixes.
    case unreadable
    /// Too many are waiting for an answer already.
    case busy
}

extension BreachedPasswords {
    /// For the whole of an answer.
    public static let deadline: Duration = .seconds(1)
    /// Questions under way; beside more of them nobody else would get an answer from the network either.
    static let limit = 64

    /// Asks `list`, and remembers its answers for some minutes. Whatever goes wrong, a password counts as never seen:
    /// a list that is down must not keep anybody from a password.
    ///
    /// - Parameter failed: told of everything that goes wrong; what it is told holds nothing of a password.
    public static func live(
        _ list: BreachedPasswordList, client: HTTP.Client, failed: @escaping @Sendable (any Error) -> Void
    ) -> BreachedPasswords {
        let underWay = UnderWay()
        let ranges = Cache<String, BreachRange>(lifetime: .seconds(600), capacity: 100) { prefix in
            try await underWay.counted { try await BreachRange(of: prefix, in: list, asking: client) }
        }
        return BreachedPasswords { password in
            let digest = Array(Hexadecimal.encode(Digest.sha1(Array(password.expose().utf8))).utf8)
            do {
                let range = try await ranges.value(for: String(decoding: digest.prefix(5), as: UTF8.self).uppercased())
                return range.contains(suffix: digest.dropFirst(5))
            } catch {
                failed(error)
                return false
            }
        }
    }
}

/// How many questions are under way.
private final class UnderWay: Sendable {
    private let count = Atomic(0)

    func counted<Value>(_ ask: () async throws -> Value) async throws -> Value {
        let before = count.add(1, ordering: .relaxed).oldValue
        defer { count.subtract(1, ordering: .relaxed) }
        guard before < BreachedPasswords.limit else { throw BreachListFault.busy }
        return try await ask()
    }
}

/// The suffixes that a list has for one prefix.
struct BreachRange: Sendable {
    private static let suffixLength = 35
    /// A list has about a thousand lines for a prefix, of some forty bytes each.
    private static let maximumLength = 256 * 1024

    /// In lower case, one after the other.
    private let suffixes: [UInt8]

    /// - Throws: ``BreachListFault``, ``HTTP/ClientFault``.
    init(of prefix: String, in list: BreachedPasswordList, asking client: HTTP.Client) async throws {
        let answer = try await client.send(
            ClientRequest(
                .get, list.url + prefix, headers: ["Add-Padding": "true", "Accept": "text/plain"],
                deadline: BreachedPasswords.deadline, maximumLength: Self.maximumLength, destination: list.destination))
        guard answer.status == 200 else { throw BreachListFault.status(answer.status) }
        try self.init(parsing: answer.body)
    }

    /// - Parameter body: lines of a suffix, a colon, and how often it was seen; never is padding.
    init(parsing body: [UInt8]) throws(BreachListFault) {
        var suffixes: [UInt8] = []
        for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let suffix = line.prefix(Self.suffixLength).map(Self.lowercased)
            let count = line.dropFirst(Self.suffixLength + 1)
            guard suffix.count == Self.suffixLength, suffix.allSatisfy(Self.isDigit),
                line.dropFirst(Self.suffixLength).first == UInt8(ascii: ":"), !count.isEmpty,
                count.allSatisfy({ (0x30...0x39).contains($0) })
            else { throw .unreadable }
            if count.contains(where: { $0 != 0x30 }) { suffixes += suffix }
        }
        self.suffixes = suffixes
    }

    func contains(suffix: some Collection<UInt8>) -> Bool {
        stride(from: 0, to: suffixes.count, by: Self.suffixLength).contains { start in
            suffixes[start..<start + Self.suffixLength].elementsEqual(suffix)
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x46).contains(byte) ? byte | 0x20 : byte }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
