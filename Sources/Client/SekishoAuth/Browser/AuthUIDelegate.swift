#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    /// In FirebaseAuth, presents the view controllers of a sign-in in the browser. The library shows the system's
    /// browser instead. If the delegate is a view controller, the browser is shown above its window.
    @MainActor public protocol AuthUIDelegate: NSObjectProtocol, Sendable {
        /// The library does not call this method.
        func present(_ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)?)
        /// The library does not call this method.
        func dismiss(animated flag: Bool, completion: (() -> Void)?)
    }
#else
    /// In FirebaseAuth, presents the view controllers of a sign-in in the browser. The library shows the system's
    /// browser instead.
    @MainActor public protocol AuthUIDelegate: AnyObject, Sendable {}
#endif
