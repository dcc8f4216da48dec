import Contract
import ServiceKit
import Wire

/// The internal routes for `/me` sockets, which gateways call.
struct InternalMeRoutes: Sendable {
    let rooms: MyRooms
    let profiles: ClientProfiles
    let conversations: Conversations
    let changes: MessageChanges
    let threads: Threads

    func register(in routes: inout InternalRoutes) {
        routes.add(MyRoomsRequest.self, start)
        routes.add(StartsRequest.self, starts)
        routes.add(MeSendRequest.self, send)
        routes.add(MeReadRequest.self, read)
        routes.add(MeHistoryRequest.self, history)
    }

    func start(_ request: MyRoomsRequest) async throws -> MyRoomsReply {
        let profile = try native(request.profile)
        return reply(try await rooms.start(of: request.user, in: request.channels), for: profile)
    }

    func starts(_ request: StartsRequest) async throws -> StartsReply {
        let profile = try native(request.profile)
        let (starts, left) = try await rooms.starts(of: request.users)
        var replies: [StartsReply.Start] = []
        for start in starts {
            replies.append(.init(user: start.user, rooms: reply(start.start, for: profile)))
            // A start has many rooms. In a storm, posts on this loop must not wait for those of all users.
            await Task.yield()
        }
        return StartsReply(starts: replies, left: left)
    }

    private func reply(_ start: MyRooms.Start, for profile: ClientProfile) -> MyRoomsReply {
        MyRoomsReply(
            user: JSONWriter.bytes { $0.view(start.user, for: profile) },
            settings: JSONWriter.bytes { $0.view(SettingsView(settings: start.settings), for: profile) },
            rooms: start.rooms.compactMap { room in
                guard let workspace = room.workspace else { return nil }
                return MyRoomsReply.Room(
                    room: room.state.room, workspace: workspace, head: room.state.head, unread: room.state.unread,
                    summary: JSONWriter.bytes { $0.view(RoomSummaryView(summary: room), for: profile) })
            }, unavailable: start.unavailable)
    }

    /// The same pipeline as that of the public route.
    func send(_ request: MeSendRequest) async throws -> MeReply {
        let profile = try native(request.caller.profile)
        let target = try await access.target(request.room, for: request.caller.user, writing: true)
        let reply = request.thread.map { ReplyRequest(seq: $0, isInTimeline: request.toRoom) }
        let message = try await conversations.send(
            SendRequest(content: request.content, files: [], clientID: request.clientID, reply: reply), to: target,
            by: Caller(user: request.caller.user, session: request.caller.session))
        return result { json in
            json.object { $0.field("message", RoomMessageView(target, message), for: profile) }
        }
    }

    func read(_ request: MeReadRequest) async throws -> MeReply {
        let user = request.caller.user
        let target = try await access.target(request.room, for: user, writing: false)
        let marker =
            if let root = request.thread {
                try await threads.advanceReadMarker(
                    of: Caller(user: user, session: request.caller.session),
                    in: MessageKey(target.key, seq: root), to: request.seq)
            } else {
                try await conversations.advanceReadMarker(of: user, in: target, to: request.seq)
            }
        return result { json in json.object { $0.field("seq", marker) } }
    }

    func history(_ request: MeHistoryRequest) async throws -> MeReply {
        let profile = try native(request.caller.profile)
        let user = request.caller.user
        let target = try await access.target(request.room, for: user, writing: false)
        let (limit, history) = (request.limit, MeHistory(conversations: conversations))
        let messages: [MessageBody]
        switch request.anchor {
        case .beforeSeq(let seq):
            messages = try await history.read(.before(seq), limit: limit, of: target, by: user, for: profile)
        case .afterSeq(let seq):
            messages = try await history.read(.after(seq), limit: limit, of: target, by: user, for: profile)
        case .afterRev(let rev):
            let found = try await changes.changes(of: target.key, after: rev, limit: min(limit, 30), for: user)
            let shown = MeHistory.fitting(found.messages)
            let isAll = shown.count == found.messages.count
            return result { json in
                json.object { json in
                    json.field("items", shown.map { RoomMessageView(target, $0) }, for: profile)
                    json.field("rev", isAll ? found.rev : shown.last?.revision?.rev ?? found.rev)
                    json.field("complete", isAll && found.isComplete)
                }
            }
        }
        return result { json in json.views(messages.map { RoomMessageView(target, $0) }, for: profile) }
    }

    private var access: RoomAccess { rooms.summaries.access }

    private func result(_ write: (inout JSONWriter) -> Void) -> MeReply {
        MeReply(result: JSONWriter.bytes(capacity: 1024, write))
    }

    private func native(_ name: String) throws(Failure) -> ClientProfile {
        guard let profile = profiles[name: name], profile.isNative else { throw .invalid("profile is not native.") }
        return profile
    }
}
