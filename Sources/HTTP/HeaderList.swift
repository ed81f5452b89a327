internal import CSystem

/// Header fields as libcurl wants them: a linked list of lines.
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// - Throws: ``ClientFault/invalidHeader``.
    init(of request: ClientRequest) throws(ClientFault) {
        for (name, value) in request.headers {
            let value = value.trimmed
            guard Self.isToken(name), !value.utf8.contains(where: \.isControl), !Self.isReserved(name) else {
                throw .invalidHeader
            }
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without these lines the library would add fields of its own.
        append("Expect:")
        if request.headers["Content-Type"] == nil { append("Content-Type:") }
    }

    deinit {
        curl_slist_free_all(first)
    }

    private func append(_ line: String) {
        first = curl_slist_append(first, line) ?? first
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
