internal import Identity
internal import Pages

/// What an app offers on the sign-in page.
///
/// A provider counts only if its sign-in in the browser is configured. If guideline 4.8 is violated, third parties are
/// missing, and so they are if Apple's button cannot be shown.
struct SignInOffer {
    let screen: SignInScreen
    let offersSignUp: Bool
    /// For the log: why providers are missing.
    let refusal: (any Refusal)?

    init(of app: App, in realm: Realm, for request: SignInPageRequest, usesAppleImage: Bool, sendsEmail: Bool) {
        let services = LoginServices(of: app, in: realm)
        var methods = services.offered
        let lacksApple = methods.contains(.apple) && !realm.hasBrowserFlow(of: .apple, for: app) && !app.isAccountPage
        if lacksApple { methods.removeAll { services.thirdParties.contains($0) } }
        switch request.operation {
        case .signIn: break
        case .link where request.isForGuest:
            methods.removeAll { $0 == .anonymous || request.provider != nil && request.provider != $0 }
        case .link:
            methods = (methods + services.linkOnly).filter { method in
                method != .password && method != .anonymous && request.subject?.methods.contains(method) != true
                    && (request.provider == nil || request.provider == method)
            }
        case .reauthenticate: methods.removeAll { request.subject?.methods.contains($0) != true }
        }
        var screen = SignInScreen()
        screen.subject = request.subject?.name
        screen.isForGuest = request.isForGuest
        screen.operation = request.operation
        screen.hasLostForm = request.hasLostForm
        screen.providers = methods.filter { realm.hasBrowserFlow(of: $0, for: app) }.map { provider in
            ProviderButton(
                provider, displayName: realm.displayName(of: provider), usesAppleImage: usesAppleImage)
        }
        screen.offersPassword = methods.contains(.password)
        screen.offersGuest = methods.contains(.anonymous) && request.operation == .signIn && !app.isAccountPage
        offersSignUp =
            screen.offersPassword && realm.policy.allowsSignUp
            && (request.isForGuest
                ? sendsEmail
                : request.operation == .signIn && (!realm.policy.emailEnumerationProtection || sendsEmail))
        screen.offersSignUp = offersSignUp
        let acceptsEmail =
            switch request.operation {
            case .signIn: true
            case .link: request.isForGuest && request.provider == nil
            case .reauthenticate: request.subject?.methods.contains(.emailLink) == true
            }
        screen.offersEmail = services.offersEmailLinks && sendsEmail && acceptsEmail
        screen.emailsOwner = request.operation == .reauthenticate
        self.screen = screen
        let isHidden = methods.count < services.methods.count
        refusal = isHidden ? services.violations.first.map { ProviderRefusal.notForThisApp(violation: $0) } : nil
    }
}
