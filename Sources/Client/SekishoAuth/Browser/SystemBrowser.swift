#if canImport(AuthenticationServices)
    internal import AuthenticationServices
    public import Foundation

    #if canImport(UIKit)
        internal import UIKit
    #elseif canImport(AppKit)
        internal import AppKit
    #endif

    /// Shows the page of a provider in `ASWebAuthenticationSession`.
    @available(tvOS 16.0, *)
    public struct SystemBrowser: AuthBrowser {
        /// Whether the session shares no cookies with the user's browser (default: false). The user then has to sign in
        /// at the provider each time, but the system does not ask for permission.
        public var isEphemeral: Bool

        /// Creates a browser.
        public init(isEphemeral: Bool = false) { self.isEphemeral = isEphemeral }

        /// Opens a page in `ASWebAuthenticationSession`.
        @MainActor public func open(
            _ page: URL, redirectURL: URL, uiDelegate: (any AuthUIDelegate)?
        ) async throws -> URL {
            guard Presentation.current == nil else { throw AuthErrorCode.webContextAlreadyPresented }
            let presentation = Presentation(uiDelegate)
            Presentation.current = presentation
            defer { Presentation.current = nil }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let session = Self.session(page, redirectURL) { url, error in
                        continuation.resume(with: Self.result(url, error))
                    }
                    #if !os(watchOS) && !os(tvOS)
                        session.presentationContextProvider = presentation
                    #endif
                    #if !os(tvOS)
                        session.prefersEphemeralWebBrowserSession = isEphemeral
                    #endif
                    presentation.session = session
                    // If the session does not start, the system does not call its completion handler.
                    if !session.start() { continuation.resume(throwing: AuthErrorCode.webInternalError) }
                }
            } onCancel: {
                Task { @MainActor in Presentation.current?.session?.cancel() }
            }
        }

        @MainActor private static func session(
            _ page: URL, _ redirectURL: URL,
            completion: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) -> ASWebAuthenticationSession {
            if redirectURL.scheme?.lowercased() == "https", let host = redirectURL.host {
                if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {
                    return ASWebAuthenticationSession(
                        url: page, callback: .https(host: host, path: redirectURL.path), completionHandler: completion)
                }
            }
            return ASWebAuthenticationSession(
                url: page, callbackURLScheme: redirectURL.scheme, completionHandler: completion)
        }

        private static func result(_ url: URL?, _ error: (any Error)?) -> Result<URL, any Error> {
            if let url { return .success(url) }
            switch (error as? ASWebAuthenticationSessionError)?.code {
            case .canceledLogin: return .failure(AuthErrorCode.webContextCancelled)
            case .presentationContextNotProvided, .presentationContextInvalid:
                return .failure(
                    AuthErrorCode.webInternalError.with("The app has no window above which a browser can be shown."))
            default: return .failure(AuthErrorCode.webInternalError)
            }
        }
    }

    /// The session that is shown, with the window above which it is shown.
    @available(tvOS 16.0, *)
    @MainActor private final class Presentation: NSObject {
        static var current: Presentation?

        var session: ASWebAuthenticationSession?
        private let uiDelegate: (any AuthUIDelegate)?

        init(_ uiDelegate: (any AuthUIDelegate)?) { self.uiDelegate = uiDelegate }
    }

    #if !os(watchOS) && !os(tvOS)
        extension Presentation: ASWebAuthenticationPresentationContextProviding {
            // Newer systems declare that the method is isolated to the main actor, and all systems call it there.
            nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
                MainActor.assumeIsolated { window ?? ASPresentationAnchor() }
            }

            private var window: ASPresentationAnchor? {
                #if canImport(UIKit)
                    if let window = (uiDelegate as? UIViewController)?.viewIfLoaded?.window { return window }
                    let windows = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                        .flatMap(\.windows)
                    return windows.first(where: \.isKeyWindow) ?? windows.first
                #elseif canImport(AppKit)
                    return NSApplication.shared.keyWindow
                #else
                    return nil
                #endif
            }
        }
    #endif
#endif
