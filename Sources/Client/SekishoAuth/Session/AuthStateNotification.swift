public import Foundation

extension Auth {
    /// The name of the notification that is posted on the main queue whenever a user signs in, the ID token changes, or
    /// the user signs out. Its object is the ``Auth`` instance. It is also posted after the stored session of a user
    /// was restored.
    public static let authStateDidChangeNotification = Notification.Name("FIRAuthStateDidChangeNotification")

    /// Posts ``authStateDidChangeNotification`` for every change.
    func postNotifications() {
        // No user is signed in before the stored session is restored.
        var isSignedIn = false
        let handler = MainQueueHandler<User?> { [weak self] user in
            guard let self, isSignedIn || user != nil else { return }
            isSignedIn = user != nil
            NotificationCenter.default.post(name: Self.authStateDidChangeNotification, object: self)
        }
        core.addObserver(.idToken, .notification(handler), restoresSession: false)
    }
}

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
    /// See ``Auth/authStateDidChangeNotification``.
    public static let AuthStateDidChange = Auth.authStateDidChangeNotification
}
