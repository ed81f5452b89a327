internal import Foundation

extension AuthCore {
    /// UIKit's and AppKit's names of notifications. They are written out so that the library needs neither framework.
    private enum SystemEvent {
        static let unlocked = Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")
        static let foreground = [
            Notification.Name("UIApplicationDidBecomeActiveNotification"),
            Notification.Name("NSApplicationDidBecomeActiveNotification"),
        ]
    }

    /// Reads a locked store again when it is unlocked, and renews tokens when the app returns to the foreground.
    func observeSystem() {
        observe(SystemEvent.unlocked) { _ in }
        for name in SystemEvent.foreground { observe(name) { $0.rescheduleRefresh() } }
    }

    private func observe(_ name: Notification.Name, _ action: @escaping @Sendable (AuthCore) -> Void) {
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
            guard let self else { return }
            // Reads the store if that was not possible before.
            withState { _ in }
            action(self)
        }
    }

    private func rescheduleRefresh() { withState { scheduleRefresh(&$0) } }
}
