// Declarations for type checks on Linux, as in AuthenticationServices.swift.

import AuthenticationServices
@_exported import Combine
@_exported import Foundation

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View

    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

public struct ViewTuple<each Content>: View {
    public var body: Never { fatalError() }
}

public struct ConditionalView<First, Second>: View {
    public var body: Never { fatalError() }
}

public struct ModifiedView<Content>: View {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    @MainActor public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> ViewTuple<repeat each Content>
    {
        ViewTuple()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalView<First, Second> {
        ConditionalView()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalView<First, Second> {
        ConditionalView()
    }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError() }
}

public struct ProgressView: View {
    public init() {}
    public var body: Never { fatalError() }
}

public struct Spacer: View {
    public init() {}
    public var body: Never { fatalError() }
}

public struct Divider: View {
    public init() {}
    public var body: Never { fatalError() }
}

public struct Text: View {
    public init(_ content: some StringProtocol) {}
    public var body: Never { fatalError() }
}

public struct TextField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
    public var body: Never { fatalError() }
}

public struct SecureField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
    public var body: Never { fatalError() }
}

public struct ButtonRole: Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

public struct Button: View {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    public init(_ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
    public var body: Never { fatalError() }
}

public struct NavigationLink: View {
    public init(_ title: some StringProtocol, @ViewBuilder destination: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct NavigationView: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct Form: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct List: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct Section: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct Group: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct HorizontalAlignment: Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}

public struct VStack: View {
    public init(alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> some View)
    {}
    public var body: Never { fatalError() }
}

public struct HStack: View {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

public struct ForEach: View {
    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> some View
    ) where Data.Element: Identifiable {}
    public init<Data: RandomAccessCollection>(
        _ data: Data, id: KeyPath<Data.Element, some Hashable>,
        @ViewBuilder content: @escaping (Data.Element) -> some View
    ) {}
    public var body: Never { fatalError() }
}

public struct Color: Sendable {
    public static let red = Color()
}

extension View {
    public func disabled(_ isDisabled: Bool) -> ModifiedView<Self> { ModifiedView() }
    public func foregroundColor(_ color: Color?) -> ModifiedView<Self> { ModifiedView() }
    public func frame(width: Double? = nil, height: Double? = nil) -> ModifiedView<Self> { ModifiedView() }
    public func padding() -> ModifiedView<Self> { ModifiedView() }
    public func navigationTitle(_ title: some StringProtocol) -> ModifiedView<Self> { ModifiedView() }
    public func onAppear(perform action: (() -> Void)? = nil) -> ModifiedView<Self> { ModifiedView() }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> ModifiedView<Self> { ModifiedView() }
    public func task(
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> ModifiedView<Self> { ModifiedView() }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> ModifiedView<Self> { ModifiedView() }
    public func sheet(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> some View
    ) -> ModifiedView<Self> { ModifiedView() }
    public func alert(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> ModifiedView<Self> { ModifiedView() }
    public func confirmationDialog(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View
    ) -> ModifiedView<Self> { ModifiedView() }
}

// MARK: State

@propertyWrapper public struct Binding<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }

    public init(projectedValue: Binding<Value>) {}
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }

    public init(wrappedValue: Value) {}
}

@MainActor @preconcurrency @propertyWrapper public struct ObservedObject<Object: ObservableObject> {
    public var wrappedValue: Object
    public var projectedValue: Wrapper { Wrapper() }

    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }

    @dynamicMemberLookup public struct Wrapper {
        public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Object, Value>) -> Binding<Value> {
            fatalError()
        }
    }
}

@MainActor @preconcurrency @propertyWrapper public struct StateObject<Object: ObservableObject> {
    public var wrappedValue: Object { fatalError() }
    public var projectedValue: ObservedObject<Object>.Wrapper { fatalError() }

    public nonisolated init(wrappedValue: @autoclosure @escaping () -> Object) {}
}

@propertyWrapper public struct Environment<Value> {
    public var wrappedValue: Value { fatalError() }

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
}

public struct EnvironmentValues: Sendable {
    public var openURL: OpenURLAction { OpenURLAction() }
    public var authorizationController: AuthorizationController { AuthorizationController() }
}

@MainActor public struct OpenURLAction: Sendable {
    nonisolated init() {}
    public func callAsFunction(_ url: URL) {}
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene

    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup: Scene {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene

    @SceneBuilder var body: Body { get }

    init()
}

extension App {
    public static func main() {}
}

// MARK: Authorization. Apple's declarations are in an overlay of both frameworks.

public enum ASAuthorizationResult {
    case appleID(ASAuthorizationAppleIDCredential)
    case passkeyAssertion(ASAuthorizationPlatformPublicKeyCredentialAssertion)
    case passkeyRegistration(ASAuthorizationPlatformPublicKeyCredentialRegistration)
}

@MainActor public struct AuthorizationController: Sendable {
    nonisolated init() {}
    public func performRequest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationResult {
        fatalError()
    }
}

public struct SignInWithAppleButton: View {
    public struct Label: Equatable, Sendable {
        public static let signIn = Label()
        public static let signUp = Label()
        public static let `continue` = Label()
    }

    public init(
        _ label: Label = .signIn, onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping (Result<ASAuthorization, any Error>) -> Void
    ) {}

    public var body: Never { fatalError() }
}
