internal import Encoding
internal import Gateway
internal import Identity

extension ProjectFile {
    /// What has to change so that a project has the event endpoints of the file.
    struct EndpointEdit: Sendable {
        enum Step: Sendable {
            case create(ID<EventEndpoint>, EventEndpoints.Input)
            case update(ID<EventEndpoint>, EventEndpoints.Input)
            case delete(ID<EventEndpoint>)
        }

        var steps: [Step] = []
        var changes: [ConfigurationChange] = []
    }

    /// - Parameters:
    ///   - current: the endpoints of the project.
    ///   - pruning: whether endpoints that the file omits are deleted, and omitted members reset.
    func endpointEdit(of current: [EventEndpoint], pruning: Bool) -> EndpointEdit {
        var edit = EndpointEdit()
        let stated = eventEndpoints ?? [:]
        for (name, input) in stated.sorted(by: { $0.key < $1.key }) {
            let id = ID<EventEndpoint>(name.rawValue)
            let input = EventEndpoints.Input(
                url: input.url ?? (pruning ? "" : nil), kinds: input.kinds ?? (pruning ? [] : nil),
                include: input.include ?? (pruning ? [] : nil))
            let before = current.first { $0.id == id }.map { Self.members($0) }
            let after = Self.members(input, over: before)
            let names = Set(after.keys).union(before.map { Set($0.keys) } ?? [])
            let changes = names.sorted().filter { before?[$0] != after[$0] }.map {
                ConfigurationChange(
                    path: ["eventEndpoints", id.rawValue, $0], old: before?[$0], new: after[$0])
            }
            if before == nil {
                edit.changes.append(
                    ConfigurationChange(path: ["eventEndpoints", id.rawValue], old: nil, new: "with a new secret"))
                edit.steps.append(.create(id, input))
            } else if !changes.isEmpty {
                edit.steps.append(.update(id, input))
            }
            edit.changes += changes
        }
        for endpoint in current where pruning && stated[ByteText(endpoint.id.rawValue)] == nil {
            edit.changes.append(
                ConfigurationChange(
                    path: ["eventEndpoints", endpoint.id.rawValue], old: endpoint.url?.rawValue ?? "feed only",
                    new: nil))
            edit.steps.append(.delete(endpoint.id))
        }
        return edit
    }

    /// The members of an endpoint that the file can state, in text. Members with their default are absent.
    private static func members(_ endpoint: EventEndpoint) -> [String: String] {
        var members: [String: String] = [:]
        members["url"] = endpoint.url?.rawValue
        members["kinds"] = endpoint.kinds.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }
        if endpoint.includesProfile { members["include"] = "profile" }
        return members
    }

    private static func members(
        _ input: EventEndpoints.Input, over current: [String: String]?
    ) -> [String: String] {
        var members = current ?? [:]
        if let url = input.url { members["url"] = url.isEmpty ? nil : url }
        if let kinds = input.kinds {
            members["kinds"] = kinds.isEmpty ? nil : Set(kinds).sorted().joined(separator: ", ")
        }
        if let include = input.include { members["include"] = include.isEmpty ? nil : "profile" }
        return members
    }
}

extension ProjectFile.EndpointEdit {
    func apply(with endpoints: EventEndpoints, to project: ID<Project>) async throws {
        for step in steps {
            switch step {
            case .create(let id, let input):
                // The secret is not printed: files and their output are kept. `events rotate-secret` prints a new one.
                _ = try await endpoints.create(id, input, by: .commandLine, of: project)
            case .update(let id, let input):
                _ = try await endpoints.update(id, input, by: .commandLine, of: project)
            case .delete(let id): try await endpoints.delete(id, by: .commandLine, of: project)
            }
        }
    }
}
