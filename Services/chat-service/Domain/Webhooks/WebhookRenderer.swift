import Contract
import ServiceKit
import Wire

/// Writes the bodies of calls to receivers. A message is written as it is at that moment: no text is kept for a call, and a
/// deleted one reaches no receiver.
struct WebhookRenderer: Sendable {
    let messages: ChangeStore
    let names: RoomNames
    let profiles: ProfileCache

    /// The body of an event; nil if its message does not exist any more.
    func body(of event: WebhookDelivery, in workspace: WorkspaceID) async throws -> [UInt8]? {
        guard let (room, seq) = event.message, let channel = event.channel, event.event != .reaction else {
            return write(event, workspace, Self.details(of: event))
        }
        let key = MessageKey(RoomKey(workspace: workspace, id: room), seq: seq)
        guard let stored = try await messages.find(key, for: .all) else { return nil }
        let people = try await profiles.members([stored].people)
        let name = try await names.of([key.roomKey])[key.room]?.name
        let view = ChatView(channel: channel, channelName: name ?? "", message: stored.body(people))
        return write(event, workspace) { json in
            json.field("room", key.room.description)
            json.field("message", view, for: .ofReceivers)
        }
    }

    /// Writes the values of an event without a message. All of them are texts.
    private static func details(of event: WebhookDelivery) -> (inout JSONWriter) -> Void {
        let members = (try? JSONValue(parsing: Array((event.detail ?? "{}").utf8)))?.members
        return { json in
            if let key = event.message {
                json.field("room", key.room.description)
                json.field("seq", key.seq)
            }
            guard let members else { return }
            for (name, value) in members {
                json.key(escaping: name)
                json.value(value.string ?? "")
            }
        }
    }

    private func write(
        _ event: WebhookDelivery, _ workspace: WorkspaceID, _ data: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        JSONWriter.bytes(capacity: 1024) { json in
            json.object { json in
                json.field("type", event.event.rawValue)
                json.field("timestamp", event.createdAt)
                json.field("workspace_id", workspace.description)
                json.object("data", data)
            }
        }
    }
}
