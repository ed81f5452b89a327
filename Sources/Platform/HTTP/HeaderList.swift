internal import CSystem
internal import Curl

/// The header fields of a request in libcurl's form.
struct HeaderList {
    private let list: LineList

    var first: UnsafeMutablePointer<curl_slist>? { list.first }

    /// - Throws: ``ClientFault/invalidHeader``; ``ClientFault/overloaded`` if memory is exhausted.
    init(of request: ClientRequest) throws(ClientFault) {
        var lines: [String] = []
        for (name, value) in request.headers {
            let value = value.trimmed
            guard name.isToken, !value.utf8.contains(where: \.isControl), !Self.isReserved(name) else {
                throw .invalidHeader
            }
            // libcurl sends a field with an empty value only if its name ends with ";".
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // A name without a value removes the field that libcurl would add.
        lines.append("Expect:")
        if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        do {
            list = try LineList(lines)
        } catch {
            // The code of an error is never `CURLE_OK`, the only code without a `ClientFault`.
            throw ClientFault(error.code) ?? .overloaded
        }
    }

    private static func isReserved(_ name: String) -> Bool {
        reserved.contains { $0.equalsIgnoringASCIICase(name) }
    }

    private static let reserved = [
        "Connection", "Content-Length", "Expect", "Host", "TE", "Transfer-Encoding", "Upgrade", "User-Agent",
    ]
}

extension StringProtocol {
    /// Removes spaces and tabs at both ends.
    var trimmed: Substring {
        var bytes = Substring(self).utf8
        while bytes.first?.isBlank == true { bytes.removeFirst() }
        while bytes.last?.isBlank == true { bytes.removeLast() }
        return Substring(bytes)
    }
}
