#if canImport(SwiftUI)
    import SwiftUI

    /// The root view: sign-in, then the account.
    ///
    /// On all screens, the synchronous handlers of buttons and links start a task for a method of the model. No view
    /// keeps the task, because the method stores its outcome in the model's state.
    public struct SampleScreen: View {
        @ObservedObject private var model: SampleModel

        /// Creates the view of a model.
        public init(model: SampleModel) { self.model = model }

        public var body: some View {
            NavigationView {
                switch model.state.screen {
                case .restoring: ProgressView()
                case .signIn: SignInScreen(model: model)
                case .home: HomeScreen(model: model)
                }
            }
            .disabled(model.state.isBusy)
            .task { await model.start() }
            .sheet(isPresented: $model.isReauthenticating) { ReauthenticationScreen(model: model) }
        }
    }

    /// The screens of a signed-in user.
    struct HomeScreen: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            List {
                MessageSection(model: model)
                NavigationLink("Profile") { ProfileScreen(model: model) }
                NavigationLink("Sign-in methods") { MethodsScreen(model: model) }
                NavigationLink("Devices") { DevicesScreen(model: model) }
                NavigationLink("Delete account") { DeletionScreen(model: model) }
                Button("Sign out") { Task { await model.signOut() } }
            }
            .navigationTitle(model.state.user?.name ?? "Account")
        }
    }

    /// The latest error and the latest confirmation.
    struct MessageSection: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            if let error = model.state.error { Text(error.text).foregroundColor(.red) }
            if let notice = model.state.notice { Text(notice) }
        }
    }
#endif
