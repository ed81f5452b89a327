public import Foundation

/// Shows the page of a provider to the user.
public protocol AuthBrowser: Sendable {
    /// Opens a page, and returns the URL of the app that the browser then opens.
    ///
    /// - Parameters:
    ///   - page: the URL of the page.
    ///   - redirectURL: ``SekishoOptions/redirectURL``. The returned URL is this URL with further query items.
    ///   - uiDelegate: the delegate of the call that needs the page.
    /// - Throws: ``AuthErrorCode/webContextCancelled`` if the user closes the browser;
    ///   ``AuthErrorCode/webContextAlreadyPresented`` if a page is open already.
    @MainActor func open(
        _ page: URL, redirectURL: URL, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> URL
}
