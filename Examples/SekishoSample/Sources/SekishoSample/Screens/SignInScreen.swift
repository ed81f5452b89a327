#if canImport(SwiftUI) && canImport(AuthenticationServices)
    import SwiftUI

    /// The sign-in methods, in the order of the gateway's response. Apple is first if the app also offers a third-party
    /// login that falls under App Review guideline 4.8.
    struct SignInScreen: View {
        @ObservedObject var model: SampleModel
        @State private var email = ""
        @State private var password = ""

        var body: some View {
            Form {
                ForEach(model.state.loginMethods) { method in
                    switch method.providerID {
                    case "apple.com": AppleButton(model: model, purpose: .signIn)
                    case "password": passwordFields
                    default:
                        Button("Continue with \(method.displayName ?? method.providerID)") {
                            Task { await model.useBrowser(method.providerID, for: .signIn) }
                        }
                    }
                }
                if model.state.allowsAnonymous {
                    Button("Continue without an account") { Task { await model.signInAnonymously() } }
                }
                if case .signInFirst = model.state.conflict {
                    Text("You already have an account. Sign in to it; the new sign-in method is then added.")
                }
                MessageSection(model: model)
            }
            .navigationTitle("Welcome")
            .onOpenURL { url in Task { await model.open(link: url.absoluteString) } }
        }

        @ViewBuilder private var passwordFields: some View {
            TextField("Email address", text: $email)
            SecureField("Password", text: $password)
            Button("Sign in") { Task { await model.use(email: email, password: password, for: .signIn) } }
            Button("Create an account") { Task { await model.signUp(email: email, password: password) } }
            Button("I forgot my password") { Task { await model.sendPasswordReset(to: email) } }
        }
    }

    /// Asks the user to reauthenticate.
    struct ReauthenticationScreen: View {
        @ObservedObject var model: SampleModel
        @State private var password = ""

        var body: some View {
            Form {
                Text("Please confirm that it is you.")
                if model.state.reauthentication?.contains("apple.com") == true {
                    AppleButton(model: model, purpose: .reauthenticate)
                }
                if model.state.reauthentication?.contains("password") == true {
                    SecureField("Password", text: $password)
                    Button("Confirm") {
                        Task {
                            await model.use(
                                email: model.state.user?.email ?? "", password: password, for: .reauthenticate)
                        }
                    }
                }
                MessageSection(model: model)
                Button("Cancel") { model.cancelReauthentication() }
            }
        }
    }
#endif
