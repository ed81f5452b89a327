internal import Encoding
internal import HTTP
internal import IPAddresses

/// The hosts in whose name `dev` answers requests.
///
/// `dev` accepts every caller, so a page of another site in the developer's browser must not use it. Such a page
/// reaches loopback in two ways: under a name of its own that resolves to 127.0.0.1 (DNS rebinding), so that the
/// browser sees no other origin; or across origins, with the header `Authorization` or on the paths for test suites.
package struct AllowedHosts: Sendable {
    /// In lower case.
    private let added: Set<[UInt8]>

    /// - Parameter names: host names without port that are allowed in addition to the names of this machine.
    /// - Returns: `nil` if one of them is not a host name.
    package init?(adding names: [String]) {
        guard names.allSatisfy({ Host.isName($0.utf8) }) else { return nil }
        added = Set(names.map { $0.utf8.map(\.lowercased) })
    }

    /// Returns the response that rejects a request; `nil` if the request is allowed.
    func rejection(of request: Request) -> Response? {
        rejectionOfHost(of: request) ?? rejectionOfOrigin(of: request)
    }

    /// As ``rejection(of:)``, but does not check the origin.
    func rejectionOfHost(of request: Request) -> Response? {
        let host = request.headers["Host"] ?? ""
        return accepts(Host(authority: host.utf8))
            ? nil
            : .text(
                status: 421,
                "The host \"\(host)\" is not allowed. To allow a name, start `sekisho dev` with --allow-host NAME.")
    }

    /// The paths for test suites, and the pages of `dev`.
    private static let protectedPaths = ["/emulator/", "/dev/", "/console/"].map { Array($0.utf8) }

    /// A request with an API key alone may have any origin, because an app under development may run anywhere.
    private func rejectionOfOrigin(of request: Request) -> Response? {
        let isProtected = Self.protectedPaths.contains { request.path.utf8.starts(with: $0) }
        guard request.headers["Authorization"] != nil || isProtected else { return nil }
        if let origin = request.headers["Origin"] {
            guard !accepts(origin: origin) else { return nil }
        } else {
            // A browser sends no origin for images and scripts of other sites.
            guard request.headers["Sec-Fetch-Site"]?.isExactly("cross-site") == true,
                request.headers["Sec-Fetch-Mode"]?.isExactly("navigate") != true
            else { return nil }
        }
        return .text(
            status: 403,
            "The origin of the page is not allowed. To allow its host, start `sekisho dev` with --allow-host NAME.")
    }

    /// - Parameter origin: a serialised origin (RFC 6454 §6.1), for example `http://localhost:3000` or `null`.
    private func accepts(origin: String) -> Bool {
        guard let separator = origin.utf8.firstRange(of: "://".utf8) else { return false }
        let host = Host(authority: origin.utf8[separator.upperBound...])
        // Outside of HTTP, for example in `chrome-extension://ID`, the host is not a name of the domain name system.
        guard ["http", "https"].contains(where: { origin.utf8[..<separator.lowerBound].elementsEqual($0.utf8) }) else {
            return host.isLocalhost || added.contains(host.bytes)
        }
        // Anyone can serve a page at a public address. A `Host` with an address is harmless, because the browser then
        // treats the page as one of `dev`.
        return !host.isPublicAddress && accepts(host)
    }

    private func accepts(_ host: Host) -> Bool { host.belongsToThisMachine || added.contains(host.bytes) }
}

/// A host without its port, in lower case.
private struct Host {
    let bytes: [UInt8]

    /// - Parameter authority: a host, optionally with a port (RFC 3986 §3.2).
    init(authority: some BidirectionalCollection<UInt8>) {
        let port = authority.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        let withoutPort = authority.dropLast(port)
        let host = withoutPort.last == UInt8(ascii: ":") ? withoutPort.dropLast() : authority[...]
        bytes = host.map(\.lowercased)
    }

    var isLocalhost: Bool { bytes.elementsEqual("localhost".utf8) }

    /// Whether the host is an address, or a name that no public name server can resolve. A name without dots is the
    /// name of this machine, or of a container.
    var belongsToThisMachine: Bool {
        if isAddress { return true }
        guard Self.isName(bytes) else { return false }
        return !bytes.contains(UInt8(ascii: ".")) || bytes.suffix(10).elementsEqual(".localhost".utf8)
            || bytes.elementsEqual("host.docker.internal".utf8)
    }

    var isPublicAddress: Bool { address?.isPublic == true }

    private var isAddress: Bool { address != nil }

    private var address: IPAddress? {
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        let text = String(decoding: isBracketed ? bytes.dropFirst().dropLast() : bytes[...], as: UTF8.self)
        return text.utf8.contains(UInt8(ascii: ":")) == isBracketed ? IPAddress(text) : nil
    }

    /// Whether the text consists of letters, digits, `-`, `_` and `.`.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
