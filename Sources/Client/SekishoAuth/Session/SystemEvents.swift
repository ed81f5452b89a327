internal import Foundation

extension AuthCore {
    /// Notifications of UIKit and AppKit, by name, because the library imports neither framework.
    private enum SystemEvent {
        static let unlocked = Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")
        static let foreground = [
            Notification.Name("UIApplicationDidBecomeActiveNotification"),
            Notification.Name("NSApplicationDidBecomeActiveNotification"),
        ]
    }

    /// Tries again to restore the session when the device is unlocked, and reschedules the refresh when the app becomes
    /// active.
    func observeSystem() {
        observe(SystemEvent.unlocked) { core in core.restoreIfNeeded() }
        for name in SystemEvent.foreground {
            observe(name) { core in core.withState { core.scheduleRefresh(&$0) } }
        }
    }

    private func observe(_ name: Notification.Name, _ action: @escaping @Sendable (AuthCore) -> Void) {
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
            if let self { action(self) }
        }
    }
}
