internal import CSystem
internal import Curl

/// The header fields of a request.
struct HeaderList {
    private let list = FieldList()

    var first: UnsafeMutablePointer<curl_slist>? { list.first }

    /// - Throws: ``ClientFault/invalidHeader``.
    init(of request: ClientRequest) throws(ClientFault) {
        for (name, value) in request.headers {
            let value = value.trimmed
            guard Self.isToken(name), !value.utf8.contains(where: \.isControl), !Self.isReserved(name) else {
                throw .invalidHeader
            }
            list.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without these lines the library would add fields of its own.
        list.append("Expect:")
        if request.headers["Content-Type"] == nil { list.append("Content-Type:") }
    }

    private static func isReserved(_ name: String) -> Bool {
        reserved.contains { $0.equalsIgnoringASCIICase(name) }
    }

    private static let reserved = [
        "Connection", "Content-Length", "Expect", "Host", "TE", "Transfer-Encoding", "Upgrade", "User-Agent",
    ]

    /// RFC 9110 §5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { tokenCharacters.contains($0) }
    }

    private static let tokenCharacters = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}

extension StringProtocol {
    /// Without spaces and tabs around it.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = firstIndex { !isBlank($0) } ?? endIndex
        let end = lastIndex { !isBlank($0) }.map(index(after:)) ?? start
        return self[start..<end]
    }
}
