import Contract
import HTTP
import ServiceKit
import Wire

extension Call {
    /// What the body asks to send; the name of the message may also stand in a header.
    func sendRequest() async throws -> SendRequest {
        let fields = try await fields()
        return try SendRequest(
            content: try fields.optionalText("content"), files: fields.files("files"),
            clientID: try fields.optionalText("client_id") ?? request.headers.text(.idempotencyKey))
    }

    /// The history that the query asks for, as an array of what `write` writes.
    func history(
        _ query: HistoryQuery, of room: RoomID, _ conversations: Conversations, _ caller: Caller, opening: [UInt8] = [],
        closing: [UInt8] = [],
        _ write: @escaping @Sendable (MessageBody, inout JSONWriter) -> Void
    ) async throws -> Response {
        let range = try await query.range(in: room, conversations.messages)
        var reply = HistoryReply(
            conversations: conversations, call: self, room: room, opening: opening, closing: closing)
        let (part, page, left) = try await conversations.read(
            range, of: room, by: caller, for: profile, hasCursor: query.hasCursor
        ) { part in try await reply.page(after: part.after, through: part.through) }
        if let left {
            let echo = profile.echo
            // A socket without echo is not sent what its own session says.
            reply.isIncluded = { !left.contains($0.seq) || !echo && $0.session == caller.session }
        }
        return reply.messages(page, through: part.through, write)
    }

    /// Messages of others after `after`, or after the read position where there is no such parameter.
    func unreads(in room: RoomID, _ conversations: Conversations, _ caller: Caller) async throws -> Int64 {
        var after: Int64?
        if let moment = try moment("after", naiveOffset: .seconds(9 * 3600)) {
            after = try await conversations.messages.seq(of: room, at: moment)
        }
        return try await conversations.messages.unread(in: room, for: caller.user, after: after)
    }

    /// Moves the read position to the `seq` of the body.
    func moveReadPosition(
        in room: RoomID, _ conversations: Conversations, _ caller: Caller
    ) async throws -> Response {
        let seq = Int64(try await fields().number("seq"))
        let position = try await conversations.moveReadPosition(of: caller.user, in: room, to: seq)
        return reply { json in json.object { $0.field("seq", position) } }
    }
}
