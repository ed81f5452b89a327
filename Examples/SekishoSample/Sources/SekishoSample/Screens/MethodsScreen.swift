#if canImport(SwiftUI) && canImport(AuthenticationServices)
    import SwiftUI

    /// Links and unlinks providers. Linking the first provider makes an anonymous account permanent.
    struct MethodsScreen: View {
        @ObservedObject var model: SampleModel
        @State private var email = ""
        @State private var password = ""

        private var methods: [String] { model.state.user?.methods ?? [] }

        var body: some View {
            Form {
                ForEach(methods, id: \.self) { method in
                    HStack {
                        Text(method)
                        Spacer()
                        Button("Remove") { Task { await model.unlink(method) } }.disabled(methods.count == 1)
                    }
                }
                if !methods.contains("apple.com") { AppleButton(model: model, purpose: .link) }
                if !methods.contains("password") {
                    TextField("Email address", text: $email)
                    SecureField("Password", text: $password)
                    Button("Add a password") {
                        Task { await model.use(email: email, password: password, for: .link) }
                    }
                }
                if model.state.conflict == .otherAccount { conflict }
                MessageSection(model: model)
            }
            .navigationTitle("Sign-in methods")
        }

        @ViewBuilder private var conflict: some View {
            Text("Another account uses this sign-in method.")
            Button("Use that account") { Task { await model.useOtherAccount() } }
            Button("Merge the two accounts") { Task { await model.mergeIntoOtherAccount() } }
            Button("Cancel") { model.dismissConflict() }
        }
    }
#endif
