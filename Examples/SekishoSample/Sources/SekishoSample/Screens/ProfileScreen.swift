#if canImport(SwiftUI)
    import SwiftUI

    /// Shows and changes the profile.
    struct ProfileScreen: View {
        @ObservedObject var model: SampleModel
        @State private var name = ""
        @State private var password = ""

        var body: some View {
            Form {
                TextField("Name", text: $name)
                Button("Save") { Task { await model.rename(name) } }
                if let user = model.state.user, let email = user.email {
                    Text(email)
                    if !user.isEmailVerified {
                        Button("Verify this address") { Task { await model.sendEmailVerification() } }
                    }
                }
                if model.state.user?.methods.contains("password") == true {
                    SecureField("New password", text: $password)
                    Button("Change password") { Task { await model.changePassword(to: password) } }
                }
                MessageSection(model: model)
            }
            .navigationTitle("Profile")
            .onAppear { name = model.state.user?.name ?? "" }
            .refreshable { await model.refresh() }
        }
    }

    /// Lists and revokes the user's sessions.
    struct DevicesScreen: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            List {
                ForEach(model.state.devices) { device in
                    VStack(alignment: .leading) {
                        Text(device.device ?? "Unknown device")
                        Text(device.isCurrent ? "This device" : "Last used \(device.lastUsedAt.formatted())")
                        Button("Sign out") { Task { await model.endSession(device.id) } }
                    }
                }
                Button("Sign out everywhere") { Task { await model.endAllSessions() } }
                MessageSection(model: model)
            }
            .navigationTitle("Devices")
            .task { await model.loadDevices() }
        }
    }

    /// Deletes the account, as App Review guideline 5.1.1(v) requires.
    struct DeletionScreen: View {
        @ObservedObject var model: SampleModel
        @State private var isConfirming = false

        var body: some View {
            Form {
                Text("Your account and its data are deleted. You cannot undo this.")
                Button("Delete account", role: .destructive) { isConfirming = true }
                MessageSection(model: model)
            }
            .navigationTitle("Delete account")
            .confirmationDialog("Delete the account?", isPresented: $isConfirming) {
                Button("Delete account", role: .destructive) { Task { await model.deleteAccount() } }
            }
        }
    }
#endif
