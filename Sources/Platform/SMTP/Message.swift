/// An email for an ``SMTPClient``. Text and HTML have the same content.
public struct Message: Hashable, Sendable {
    public var from: Mailbox
    /// The recipient, both in the header and in the envelope.
    public var to: String
    public var replyTo: String?
    public var subject: String
    /// Seconds since 1970.
    public var date: Int64
    /// The part of `Message-ID` before the `@`; the sender's domain follows. Must be 1 to 64 ASCII letters, digits and
    /// hyphens.
    public var id: String
    public var text: String
    public var html: String
    /// Images to which the HTML refers by their `cid:` URLs.
    public var inlineImages: [InlineImage]

    public init(
        from: Mailbox, to: String, replyTo: String? = nil, subject: String, date: Int64, id: String, text: String,
        html: String, inlineImages: [InlineImage] = []
    ) {
        self.from = from
        self.to = to
        self.replyTo = replyTo
        self.subject = subject
        self.date = date
        self.id = id
        self.text = text
        self.html = html
        self.inlineImages = inlineImages
    }
}

/// An image inside a message (RFC 2392), which its reader sees without a request to a server.
public struct InlineImage: Hashable, Sendable {
    /// Letters, digits and hyphens. The HTML refers to the image as `cid:` and this ID.
    public let contentID: String
    public let mediaType: String
    public let content: [UInt8]

    public init(contentID: String, mediaType: String, content: [UInt8]) {
        self.contentID = contentID
        self.mediaType = mediaType
        self.content = content
    }
}

/// An address with its display name.
public struct Mailbox: Hashable, Sendable {
    public var address: String
    public var name: String?

    public init(address: String, name: String? = nil) {
        self.address = address
        self.name = name
    }

    var domain: Substring { address.split(separator: "@").last ?? "" }
}
