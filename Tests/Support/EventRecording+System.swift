public import Identity

extension EventRecording {
    /// Events of the gateway itself, in a project without listeners.
    public static let system = EventRecording(by: .system, wanting: [])
}
