import ServiceSupport
import TestSupport
import Wire

extension WorkspaceHarness {
    /// Creates a workspace through the API and returns its id.
    @discardableResult
    func makeWorkspace(_ name: String = "work", owner: Int64 = 1) async throws -> Int64 {
        let reply = try await call(
            "POST", "/v1/workspaces", user: owner,
            form: Form(["name": name, "description": "about \(name)"], image: .png))
        return try id(reply, "workspace_id")
    }

    /// Creates a channel through the API and returns its id.
    @discardableResult
    func makeChannel(_ name: String, in workspace: Int64, owner: Int64 = 1) async throws -> Int64 {
        let reply = try await call(
            "POST", "/v1/workspaces/\(workspace)/channels", user: owner, json: #"{"name":"\#(name)"}"#)
        return try id(reply, "channel_id")
    }

    func invite(_ user: Int64, to workspace: Int64, by owner: Int64 = 1) async throws {
        let reply = try await call(
            "POST", "/v1/workspaces/\(workspace)/members", user: owner, json: #"{"email":"\#(user)@example.com"}"#)
        guard reply.status == 201 else { throw NeverHappened(description: "an invitation: \(reply.text)") }
    }

    /// Joins a channel through the internal API, like chat-service when a member reads it.
    func join(_ user: Int64, _ channel: Int64) async throws {
        let reply = try await ask("POST", "/internal/channels/\(channel)/join", json: #"{"user_id":"\#(user)"}"#)
        guard reply.status == 200 else { throw NeverHappened(description: "a join: \(reply.text)") }
    }

    /// The id in a reply of the second generation.
    private func id(_ reply: HTTPCall.Reply, _ name: String) throws -> Int64 {
        guard let id = try reply.json[named: name]?.string.flatMap({ Int64($0) }) else {
            throw NeverHappened(description: "\(name): \(reply.status) \(reply.text)")
        }
        return id
    }

    /// The field `name` of each element of a list, or of the list in the field `list` of an object.
    func texts(_ reply: HTTPCall.Reply, _ name: String, in list: String? = nil) throws -> [String] {
        let json = try reply.json
        let elements = list.map { json[named: $0]?.elements } ?? json.elements
        guard let elements else { throw NeverHappened(description: "a list: \(reply.status) \(reply.text)") }
        return elements.map { $0[named: name]?.string ?? "" }
    }
}
