internal import Foundation

#if canImport(UIKit) && !os(watchOS)
    internal import UIKit
#endif

extension AuthCore {
    /// Reads a locked store again when it is unlocked, and renews tokens when the app returns to the foreground.
    func observeSystem() {
        #if canImport(UIKit) && !os(watchOS)
            let center = NotificationCenter.default
            center.addObserver(
                forName: UIApplication.protectedDataDidBecomeAvailableNotification, object: nil, queue: nil
            ) { [weak self] _ in self?.withState { _ in } }
            center.addObserver(
                forName: UIApplication.didBecomeActiveNotification, object: nil, queue: nil
            ) { [weak self] _ in self?.withState { self?.scheduleRefresh(&$0) } }
        #endif
    }
}
