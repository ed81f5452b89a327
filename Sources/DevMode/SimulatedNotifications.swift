internal import API
internal import EventLoop
internal import HTTP
internal import Identity
internal import Simulators
internal import Synchronization

/// Sends notifications of the simulated Apple to the gateway as Apple does: by HTTP, to the gateway's endpoint for
/// Apple's notifications.
final class NotificationDelivery: Sendable {
    private let loop: Loop
    private let client: HTTP.Client
    /// The URL of the endpoint; `nil` until the gateway listens.
    private let endpoint = Mutex<String?>(nil)

    init() throws {
        loop = try Loop(name: "notifications")
        client = try HTTP.Client(loop: loop)
    }

    /// Sends later notifications to the gateway on this port.
    func begin(at port: UInt16) {
        endpoint.withLock { $0 = "http://127.0.0.1:\(port)/v1/apple/notifications" }
    }

    /// - Returns: the status of the response; `nil` if the gateway did not respond.
    func send(_ payload: String) async throws -> Int? {
        guard let url = endpoint.withLock({ $0 }) else { return nil }
        let request = ClientRequest(
            .post, url, headers: ["Content-Type": "application/json"],
            body: try SimulatedApple.notificationBody(payload), destination: .fromOperator)
        do {
            return try await client.send(request).status
        } catch is ClientFault {
            return nil
        }
    }

    func stop() throws {
        try loop.waitFor { [client] in await client.close() }
        loop.stop()
    }
}

/// An action of a person at the simulated Apple that causes a notification.
struct SimulatedAppleAction: Sendable {
    let event: SimulatedAppleEvent
    let person: SimulatedPerson
    /// The bundle ID of the app.
    let clientID: String
}

/// A notification that was sent.
struct SentNotification: Encodable {
    let type: String
    let payload: String
    /// The status of the gateway's response; absent if the gateway did not respond.
    let status: Int?
}

/// The notifications that the simulated Apple has sent.
final class NotificationHistory: Sendable {
    /// The maximum number of notifications. Beyond it, the oldest are removed.
    private static let limit = 50

    struct Entry: Sendable {
        let notification: SentNotification
        let action: SimulatedAppleAction
        let time: Instant
    }

    /// Guards the notifications, newest first.
    private let entries = Mutex<[Entry]>([])
    private let now: @Sendable () -> Instant

    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ notification: SentNotification, about action: SimulatedAppleAction) {
        let entry = Entry(notification: notification, action: action, time: now())
        entries.withLock { $0 = [entry] + $0.prefix(Self.limit - 1) }
    }
}

extension DevSimulators {
    /// Lets the simulated Apple send its notifications to the gateway on this port.
    package func sendNotifications(toPort port: UInt16) { notificationDelivery.begin(at: port) }

    /// Applies the actions to the simulated Apple, and sends their notifications to the gateway.
    func apply(_ actions: [SimulatedAppleAction]) async throws -> [SentNotification] {
        var sent: [SentNotification] = []
        for action in actions {
            let event = action.event
            // Either of these two events ends the person's consent.
            if event == .consentRevoked || event == .accountDelete {
                apple.disconnect(action.person, from: action.clientID)
            }
            let payload = try apple.notification(event, about: action.person, audience: action.clientID)
            let status = try await notificationDelivery.send(payload)
            let notification = SentNotification(type: event.rawValue, payload: payload, status: status)
            sent.append(notification)
            notificationHistory.add(notification, about: action)
        }
        return sent
    }
}
