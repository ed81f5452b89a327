internal import Crypto
internal import Encoding
internal import EventLoop
public import HTTP
public import Identity
internal import Synchronization

/// A server with a list of breached passwords and the range protocol of Pwned Passwords. A request contains the first 5
/// of the 40 hexadecimal digits of a SHA-1 digest. The response contains the other 35 digits of every listed digest
/// that begins with them.
public struct BreachedPasswordList: Hashable, Sendable {
    /// The URL of Pwned Passwords itself.
    public static let publicURL = "https://api.pwnedpasswords.com/range/"

    /// An https URL, or an http URL of a loopback host, with a slash at the end.
    public let url: String

    public init(url: String) {
        self.url = url
    }

    /// The addresses to which a request may connect: only public ones for Pwned Passwords itself, also private ones for
    /// a list that the operator configured.
    fileprivate var destination: ClientRequest.Destination {
        url == Self.publicURL ? .fromProject(allowingPrivateAddresses: false) : .fromOperator
    }
}

/// The reason why a list of breached passwords was not queried, or why its response cannot be used.
public enum BreachListFault: Error, Hashable {
    case status(Int)
    /// The response is not a list of suffixes.
    case unreadable
    /// Too many requests are in flight.
    case busy
}

extension BreachedPasswords {
    /// The time limit of a request to the list.
    public static let deadline: Duration = .seconds(1)
    /// The maximum number of requests in flight, which leaves connections for other requests.
    static let maximumInFlight = 64

    /// Queries `list` and caches responses for 10 minutes. If a request fails, the password counts as not breached, so
    /// that an outage of the list does not block users.
    ///
    /// - Parameter onFailure: called with every error. The error contains no part of a password.
    public static func live(
        _ list: BreachedPasswordList, client: HTTP.Client, onFailure: @escaping @Sendable (any Error) -> Void
    ) -> BreachedPasswords {
        let inFlightLimit = InFlightLimit()
        let ranges = Cache<String, BreachRange>(lifetime: .seconds(600), capacity: 100) { prefix in
            try await inFlightLimit.run { try await BreachRange(of: prefix, in: list, asking: client) }
        }
        return BreachedPasswords { password in
            let digest = Array(Hexadecimal.encode(Digest.sha1(Array(password.expose().utf8))).utf8)
            do {
                let range = try await ranges.value(for: String(decoding: digest.prefix(5), as: UTF8.self).uppercased())
                return range.contains(suffix: digest.dropFirst(5))
            } catch {
                onFailure(error)
                return false
            }
        }
    }
}

/// Limits the number of requests in flight.
private final class InFlightLimit: Sendable {
    private let count = Atomic(0)

    func run<Value>(_ request: () async throws -> Value) async throws -> Value {
        let before = count.add(1, ordering: .relaxed).oldValue
        defer { count.subtract(1, ordering: .relaxed) }
        guard before < BreachedPasswords.maximumInFlight else { throw BreachListFault.busy }
        return try await request()
    }
}

/// The suffixes of all listed digests that begin with one prefix.
struct BreachRange: Sendable {
    private static let suffixLength = 35
    /// The maximum length of a response in bytes. A response has about 1000 lines of 40 bytes.
    private static let maximumLength = 256 * 1024

    /// The suffixes in lower case, concatenated.
    private let suffixes: [UInt8]

    /// Fetches the suffixes for `prefix`.
    ///
    /// - Throws: ``BreachListFault``, ``HTTP/ClientFault``.
    init(of prefix: String, in list: BreachedPasswordList, asking client: HTTP.Client) async throws {
        let response = try await client.send(
            ClientRequest(
                .get, list.url + prefix, headers: ["Add-Padding": "true", "Accept": "text/plain"],
                deadline: BreachedPasswords.deadline, maximumResponseBytes: Self.maximumLength,
                destination: list.destination))
        guard response.status == 200 else { throw BreachListFault.status(response.status) }
        try self.init(parsing: response.body)
    }

    /// - Parameter body: lines that consist of a suffix, a colon and a count. Lines with the count 0 are padding.
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
