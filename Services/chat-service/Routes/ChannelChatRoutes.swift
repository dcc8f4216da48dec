import Contract
import HTTP
import ServiceKit
import Wire

/// The chats of channels: send, read, count what is unread. Reading joins.
struct ChannelChatRoutes: Sendable {
    let doors: Doors
    let conversations: Conversations
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        let body = BodyLimit.files(SendRequest.mostFiles, of: fileSize, text: SendRequest.largestText)
        for (generation, segment) in [(ClientProfile.Generation.january2024, "{name}"), (.july2024, "{channel_id}")] {
            let channel = "/v1/workspaces/{id}/channels/\(segment)"
            routes.signedIn(.post, channel + "/chats", in: generation, body: body, send)
            routes.signedIn(.get, channel + "/chats", in: generation, history)
            routes.signedIn(.get, channel + "/unreads", in: generation, unreads)
            routes.signedIn(.put, channel + "/read", in: generation, read)
        }
    }

    func send(_ call: Call, _ caller: Caller) async throws -> Response {
        let access = try await doors.member(caller.user, of: try call.channel(), in: try call.id("id"))
        let message = try await conversations.send(try await call.sendRequest(), to: access.place, by: caller)
        return call.created(ChatView(channel: access.id, channelName: access.name, message: message))
    }

    func history(_ call: Call, _ caller: Caller) async throws -> Response {
        let query = try HistoryQuery(call)
        let access = try await doors.reader(caller.user, of: try call.channel(), in: try call.id("id"))
        let (channel, name, profile) = (access.id, access.name, call.profile)
        return try await call.history(query, of: access.place.room, conversations, caller) { message, json in
            json.view(ChatView(channel: channel, channelName: name, message: message), for: profile)
        }
    }

    func unreads(_ call: Call, _ caller: Caller) async throws -> Response {
        let access = try await doors.member(caller.user, of: try call.channel(), in: try call.id("id"))
        let count = try await call.unreads(in: access.place.room, conversations, caller)
        return call.reply { json in
            json.object { json in
                json.field("channel_id", access.id, for: call.profile)
                json.field("name", access.name)
                json.field("count", count)
            }
        }
    }

    func read(_ call: Call, _ caller: Caller) async throws -> Response {
        let access = try await doors.member(caller.user, of: try call.channel(), in: try call.id("id"))
        return try await call.moveReadPosition(in: access.place.room, conversations, caller)
    }
}

extension ChannelAccess {
    /// Where messages of the channel go.
    var place: Place { Place(room: RoomID(id), workspace: workspace, name: name) }
}

extension Call {
    /// The channel that the path means: by name in the first generation, by id in the second.
    fileprivate func channel() throws(Failure) -> ChannelReference {
        switch profile.generation {
        case .january2024: .name(try text("name"))
        case .july2024: .id(try id("channel_id"))
        }
    }
}
