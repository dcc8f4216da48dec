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
        try await start(of: request.user, in: request.channels, for: native(request.profile))
    }

    /// The starts are read side by side, so that the statements of all users make one round trip.
    func starts(_ request: StartsRequest) async throws -> StartsReply {
        let profile = try native(request.profile)
        return try await withThrowingTaskGroup(of: StartsReply.Start.self) { group in
            for user in request.users {
                group.addTask {
                    StartsReply.Start(
                        user: user.id, rooms: try await start(of: user.id, in: user.channels, for: profile))
                }
            }
            var starts: [StartsReply.Start] = []
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let start): starts.append(start)
                case .failure(let error): failure = error
                }
            }
            // If nothing can be read, the caller learns why.
            if starts.isEmpty, let failure { throw failure }
            return StartsReply(starts: starts)
        }
    }

    private func start(
        of user: UserID, in channels: [MyRoomsRequest.Channel], for profile: ClientProfile
    ) async throws -> MyRoomsReply {
        let start = try await rooms.start(of: user, in: channels)
        return MyRoomsReply(
            user: JSONWriter.bytes { $0.view(start.user, for: profile) },
            settings: JSONWriter.bytes { $0.view(SettingsView(settings: start.settings), for: profile) },
            rooms: start.rooms.compactMap { room in
                guard let workspace = room.workspace else { return nil }
                return MyRoomsReply.Room(
                    room: room.state.room, workspace: workspace, head: room.state.head, unread: room.state.unread,
                    summary: JSONWriter.bytes { $0.view(RoomSummaryView(summary: room), for: profile) })
            })
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
            // A message may have 20 kilobytes of reactions.
            let found = try await changes.changes(of: target.key, after: rev, limit: min(limit, 30), for: user)
            return result { json in
                json.object { json in
                    json.field("items", found.messages.map { RoomMessageView(target, $0) }, for: profile)
                    json.field("rev", found.rev)
                    json.field("complete", found.isComplete)
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
