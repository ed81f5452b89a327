internal import HTTP
internal import Identity

extension EndpointCall {
    /// The key of the header `Sekisho-Resumption-Key`, if the request has it.
    func resumptionKey() throws(RequestRefusal) -> ResumptionKey? {
        guard let text = request.headers["Sekisho-Resumption-Key"] else { return nil }
        guard let key = ResumptionKey(text) else {
            throw .rejected(
                .invalidArgument, "The header Sekisho-Resumption-Key must have 22 to 128 characters of base64url.")
        }
        return key
    }
}
