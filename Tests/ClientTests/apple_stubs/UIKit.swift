// Declarations for type checks on Linux, as in AuthenticationServices.swift.

@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    override public nonisolated init() {}
}

public class UIView: UIResponder {
    override public nonisolated init() {}

    public var window: UIWindow? { nil }
}

public class UIWindow: UIView {
    override public nonisolated init() {}

    public var isKeyWindow: Bool { false }
    public var rootViewController: UIViewController? { nil }
}

open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}

    public var view: UIView! { nil }
    public var viewIfLoaded: UIView? { nil }
    public var presentedViewController: UIViewController? { nil }

    public func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {}
    public func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}
}

public class UIScene: UIResponder {
    override public nonisolated init() {}
}

public class UIWindowScene: UIScene {
    override public nonisolated init() {}

    public var windows: [UIWindow] { [] }
    public var keyWindow: UIWindow? { nil }
}

public class UIApplication: UIResponder {
    override public nonisolated init() {}

    public static var shared: UIApplication { preconditionFailure() }
    public var connectedScenes: Set<UIScene> { [] }
}
