import CBOR
import Crypto
import Encoding
import Identity
import JOSE
import Providers
import WebAuthn

@testable import Commands
@testable import Gateway
@testable import HTTP
@testable import JSON

/// A parser of bytes from outside. A target crashes if its parser violates one of the properties below.
enum FuzzTarget: String, CaseIterable {
    case requestHead = "request-head"
    case chunkedBody = "chunked-body"
    case json
    case form
    case multipart
    case jws
    case cbor
    case webauthn
    case csv
    case projectFile = "project-file"
    case image

    /// The target of this process. libFuzzer's callback cannot capture it.
    nonisolated(unsafe) static var selected: FuzzTarget?

    func run(_ input: [UInt8]) {
        switch self {
        case .requestHead: Self.parseRequestHead(input)
        case .chunkedBody: Self.parseChunkedBody(input)
        case .json: Self.parseJSON(input)
        case .form: Self.parseForm(input)
        case .multipart: Self.parseMultipart(input)
        case .jws: Self.parseJWS(input)
        case .cbor: Self.parseCBOR(input)
        case .webauthn: Self.verifyPasskey(input)
        case .csv: Self.parseCSV(input)
        case .projectFile: Self.parseProjectFile(input)
        case .image: Self.parseImage(input)
        }
    }

    /// A head that arrives byte by byte is parsed like one that arrives at once.
    private static func parseRequestHead(_ input: [UInt8]) {
        var parser = RequestHeadParser()
        let atOnce = parsed(input[...], by: &parser)
        var pieceParser = RequestHeadParser()
        var inPieces = "incomplete"
        for count in 0...input.count where inPieces == "incomplete" {
            inPieces = parsed(input[..<count], by: &pieceParser)
        }
        require(atOnce == inPieces, "at once: \(atOnce); in pieces: \(inPieces)")
    }

    private static func parsed(_ input: ArraySlice<UInt8>, by parser: inout RequestHeadParser) -> String {
        do {
            let parsed = try input.withUnsafeBytes { bytes throws(RequestRejection) in
                try parser.parse(bytes, limits: Limits())
            }
            return parsed.map { "\($0)" } ?? "incomplete"
        } catch {
            return "\(error)"
        }
    }

    /// A chunked body that arrives byte by byte is decoded like one that arrives at once.
    private static func parseChunkedBody(_ input: [UInt8]) {
        let atOnce = decodedChunks(of: [input[...]])
        let inPieces = decodedChunks(of: input.indices.map { input[$0...$0] })
        require(atOnce == inPieces, "at once: \(atOnce); in pieces: \(inPieces)")
    }

    private static func decodedChunks(of pieces: [ArraySlice<UInt8>]) -> String {
        var body = BodyReader(.chunked, limit: 1024)
        var count = 0
        do {
            for piece in pieces where !body.isComplete {
                count += try piece.withUnsafeBytes { bytes throws(BodyRejection) in try body.read(bytes) }
            }
            return "\(body.isComplete) \(count) \(body.content)"
        } catch {
            return "\(error)"
        }
    }

    /// A value that was parsed is written as JSON, and parsing that JSON gives the same JSON again.
    private static func parseJSON(_ input: [UInt8]) {
        guard let value = try? StrictJSON.decode(JSONValue.self, from: input) else { return }
        do {
            let text = try StrictJSON.encode(value)
            let again = try StrictJSON.encode(StrictJSON.decode(JSONValue.self, from: text))
            require(text == again, "\(text) is written as \(again)")
        } catch {
            fatalError("the value of valid JSON cannot be written: \(error)")
        }
    }

    /// The pairs of a form are the same after they have been encoded and decoded again.
    private static func parseForm(_ input: [UInt8]) {
        guard let pairs = FormDecoder.decode(input) else { return }
        let text = pairs.map { PercentEncoding.encode($0.rawValue) + "=" + PercentEncoding.encode($1) }
            .joined(separator: "&")
        let again = FormDecoder.decode(Array(text.utf8)) ?? []
        let bytes = pairs.map { [Array($0.rawValue.utf8), Array($1.utf8)] }
        require(bytes == again.map { [Array($0.rawValue.utf8), Array($1.utf8)] }, text)
    }

    /// A form with files is decoded again from its parts.
    private static func parseMultipart(_ input: [UInt8]) {
        let type = "multipart/form-data; boundary=x"
        guard let parts = MultipartDecoder.decode(input, contentType: type) else { return }
        var again: [UInt8] = []
        for part in parts {
            let file = part.isFile ? "; filename=\"\"" : ""
            let head = "--x\r\nContent-Disposition: form-data; name=\"\(part.name.rawValue)\"\(file)\r\n\r\n"
            again += Array(head.utf8) + part.content + Array("\r\n".utf8)
        }
        again += Array("--x--".utf8)
        require(MultipartDecoder.decode(again, contentType: type) == parts, "other parts after encoding")
    }

    /// No token has a valid signature of a key that signed nothing.
    private static func parseJWS(_ input: [UInt8]) {
        guard let token = try? UnverifiedJWS(parsing: String(decoding: input, as: UTF8.self)) else { return }
        require((try? token.payload(verifiedWith: publicKey)) == nil, "a token without a valid signature is accepted")
    }

    private static let publicKey: PublicKey = {
        do { return try PrivateKey.generate(.es256).publicKey } catch { fatalError("\(error)") }
    }()

    /// A value that was decoded from the whole input is the value at the start of a longer input. A value that is cut
    /// off is not a value.
    private static func parseCBOR(_ input: [UInt8]) {
        guard let value = try? CBOR.decode(input) else { return }
        let prefix = try? CBOR.decodePrefix(of: input + [0xFF])
        if input.count < CBOR.maximumLength {
            let isSame = prefix?.value == value && prefix?.count == input.count
            require(isSame, "\(value) has another length in a longer input")
        }
        require((try? CBOR.decode(Array(input.dropLast()))) == nil, "\(value) is complete without its last byte")
    }

    /// No attestation object contains a statement that a key made about this client data, and no authenticator data has
    /// a valid signature of a key that signed nothing.
    private static func verifyPasskey(_ input: [UInt8]) {
        let policy = RelyingPartyPolicy(rpID: "app.example", origins: ["https://app.example"])
        func clientData(_ type: String) -> [UInt8] {
            Array(#"{"type":"\(type)","challenge":"AQID","origin":"https://app.example"}"#.utf8)
        }
        let registration = try? UnverifiedRegistration(
            id: [1], clientDataJSON: clientData("webauthn.create"), attestationObject: input
        ).verified(challenge: [1, 2, 3], by: policy)
        require(registration?.attestation != .selfAttested, "a statement without a valid signature is accepted")
        let authentication = try? UnverifiedAuthentication(
            id: [1], clientDataJSON: clientData("webauthn.get"), authenticatorData: input,
            signature: Array(input.suffix(64)), userHandle: [1]
        ).verified(
            with: StoredPasskey(
                credentialID: [1], publicKey: passkey, userHandle: [1], signCount: 0, isBackupEligible: false),
            challenge: [1, 2, 3], by: policy)
        require(authentication == nil, "a signature of another key is accepted")
        _ = try? UnverifiedRegistration(id: [1], clientDataJSON: input, attestationObject: [])
        _ = try? COSEKey(decoding: input)
    }

    /// The public key of RFC 8032 §7.1, test 1.
    private static let passkey: COSEKey = {
        let key: [UInt8] = [
            0xD7, 0x5A, 0x98, 0x01, 0x82, 0xB1, 0x0A, 0xB7, 0xD5, 0x4B, 0xFE, 0xD3, 0xC9, 0x64, 0x07, 0x3A,
            0x0E, 0xE1, 0x72, 0xF3, 0xDA, 0xA6, 0x23, 0x25, 0xAF, 0x02, 0x1A, 0x68, 0xF7, 0x07, 0x51, 0x1A,
        ]
        do {
            return try COSEKey(decoding: [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20] + key)
        } catch { fatalError("\(error)") }
    }()

    /// A file that arrives byte by byte has the same rows as one that arrives at once.
    private static func parseCSV(_ input: [UInt8]) {
        let atOnce = rows(of: [input])
        let inPieces = rows(of: input.map { [$0] })
        require(atOnce == inPieces, "at once: \(atOnce); in pieces: \(inPieces)")
    }

    private static func rows(of chunks: [[UInt8]]) -> [String] {
        var rows: [String] = []
        func add(_ row: UserRow) { rows.append("\(row)") }
        var parser = CSVUsers()
        do {
            for chunk in chunks { parser.parse(chunk, add) }
            try parser.finish(add)
        } catch {
            rows.append("\(error)")
        }
        return rows
    }

    /// A project file is refused, or can be applied to a new project.
    private static func parseProjectFile(_ input: [UInt8]) {
        let file = try? ProjectFile(parsing: input) { path throws(UnreadableFile) in
            throw UnreadableFile(path: path, reason: "missing")
        }
        guard let file else { return }
        var configuration = ProjectConfiguration(
            realm: Realm(
                Project(
                    id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["localhost"], supporting: .live),
                policy: Policy(.sekisho)),
            name: "demo", apps: [ConfiguredApp(app: ProjectDraft.defaultApp, name: "default")])
        file.apply(to: &configuration, pruning: true)
    }

    /// An image has a limited size. Neither a part of it nor what follows it in a longer file is an image.
    private static func parseImage(_ input: [UInt8]) {
        guard let header = ImageHeader(input) else { return }
        let isSmall =
            (1...ImageHeader.maximumWidth).contains(header.width)
            && (1...ImageHeader.maximumHeight).contains(header.height) && input.count <= ImageHeader.byteLimit
        require(isSmall, "\(header) is too large")
        require(ImageHeader(Array(input.dropLast())) == nil, "an image is complete without its last byte")
        require(ImageHeader(input + [0]) == nil, "an image can have a byte after its end")
    }

    private static func require(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fatalError(message()) }
    }
}
