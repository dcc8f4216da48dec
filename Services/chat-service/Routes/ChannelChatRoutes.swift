import Contract
import HTTP
import ServiceKit
import Wire

/// The chats of channels: send, list, count unread ones, move the read marker. Listing joins the channel.
struct ChannelChatRoutes: Sendable {
    let access: RoomAccess
    let conversations: Conversations
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        let body = BodyLimit.files(SendRequest.maxFiles, of: fileSize, text: SendRequest.maxText)
        for (generation, segment) in [(ClientProfile.Generation.january2024, "{name}"), (.july2024, "{channel_id}")] {
            let channel = "/v1/workspaces/{id}/channels/\(segment)"
            routes.signedIn(.post, channel + "/chats", in: generation, body: body, send)
            routes.signedIn(.get, channel + "/chats", in: generation, history)
            routes.signedIn(.get, channel + "/unreads", in: generation, unreads)
            routes.signedIn(.put, channel + "/read", in: generation, read)
        }
    }

    func send(_ call: Call, _ caller: Caller) async throws -> Response {
        let (channel, request) = try await call.admitted(
            by: { try await self.channel(of: call, for: caller) }, reading: call.sendRequest)
        let message = try await conversations.send(request, to: MessageTarget(channel), by: caller)
        return call.created(ChatView(channel: channel.id, channelName: channel.name, message: message))
    }

    func history(_ call: Call, _ caller: Caller) async throws -> Response {
        let request = try HistoryRequest(call)
        let channel = try await access.channel(try call.channel(), in: try call.id("id"), joinedBy: caller.user)
        let (id, name, profile) = (channel.id, channel.name, call.profile)
        return try await call.history(
            request.joined(at: channel.joinedAt), of: MessageTarget(channel), conversations, caller,
            admit: { _ = try await access.channel(.id(id), in: channel.workspace, forMember: caller.user) }
        ) { message, json in
            json.view(ChatView(channel: id, channelName: name, message: message), for: profile)
        }
    }

    func unreads(_ call: Call, _ caller: Caller) async throws -> Response {
        let channel = try await channel(of: call, for: caller)
        let count = try await call.unreads(in: MessageTarget(channel).key, conversations, caller)
        return call.reply { json in
            json.object { json in
                json.field("channel_id", channel.id, for: call.profile)
                json.field("name", channel.name)
                json.field("count", count)
            }
        }
    }

    func read(_ call: Call, _ caller: Caller) async throws -> Response {
        let target = MessageTarget(try await channel(of: call, for: caller))
        return try await call.advanceReadMarker(in: target, conversations, caller)
    }

    private func channel(of call: Call, for caller: Caller) async throws -> ChannelAccess {
        try await access.channel(try call.channel(), in: try call.id("id"), forMember: caller.user)
    }
}

extension Call {
    /// The channel of the path: a name in the first generation, an id in the second.
    fileprivate func channel() throws(Failure) -> ChannelReference {
        switch profile.generation {
        case .january2024: .name(try text("name"))
        case .july2024: .id(try id("channel_id"))
        }
    }
}
