internal import Encoding

extension Request {
    /// Whether a browser sent the request because a user submitted a form on a page of the gateway, and not because of
    /// a script or another site (Fetch Metadata §2).
    ///
    /// - Parameter origin: the origin of the page.
    public func isSubmittedByPage(of origin: String) -> Bool {
        let (site, mode) = (headers["Sec-Fetch-Site"], headers["Sec-Fetch-Mode"])
        guard site != nil || mode != nil else {
            // Browsers omit both headers if the gateway's address is neither loopback nor HTTPS.
            return headers["Origin"]?.isExactly(origin) == true
        }
        return site?.isExactly("same-origin") == true && mode?.isExactly("navigate") == true
    }
}
