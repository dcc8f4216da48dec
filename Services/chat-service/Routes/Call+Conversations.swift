import Contract
import HTTP
import ServiceKit
import Wire

extension Call {
    /// Reads the message to send from the body. The idempotency key may also be a header.
    func sendRequest() async throws -> SendRequest {
        let fields = try await fields()
        return try SendRequest(
            content: try fields.optionalText("content"), files: fields.files("files"),
            clientID: try fields.optionalText("client_id") ?? request.headers.text(.idempotencyKey),
            reply: profile.isNative ? try fields.reply() : nil)
    }

    /// Reads the body of a caller that `admit` lets in. It is asked before the body, and again after it: a body may come so slowly
    /// that it outlasts the caller's membership.
    func admitted<Place, Body>(
        by admit: () async throws -> Place, reading read: () async throws -> Body
    ) async throws -> (Place, Body) {
        _ = try await admit()
        let body = try await read()
        return (try await admit(), body)
    }

    /// Replies with the requested part of a history: an array of messages, each written by `write`. `admit` throws once the caller has
    /// lost its access.
    func history(
        _ query: HistoryRequest, of target: MessageTarget, _ conversations: Conversations, _ caller: Caller,
        opening: [UInt8] = [],
        closing: [UInt8] = [],
        admit: @escaping @Sendable () async throws -> Void,
        _ write: @escaping @Sendable (MessageBody, inout JSONWriter) -> Void
    ) async throws -> Response {
        let reading = try await conversations.read(query, of: target, by: caller, for: profile)
        var reply = HistoryReply(
            conversations: conversations, call: self, room: target.key,
            readers: MessageDetails.Readers(caller, profile), blocked: reading.blocked,
            stores: reading.stores, opening: opening, closing: closing, admit: admit)
        if let leftOut = reading.leftOut {
            let echo = profile.echo
            // A socket without echo is not sent its own session's messages, so the reply holds those.
            reply.isIncluded = { seq, session in !leftOut.contains(seq) || !echo && session == caller.session }
        }
        return reply.messages(reading.page, of: reading.part, write)
    }

    /// Counts the messages by others after the query's `after`, or after the read marker without it.
    ///
    /// A client that sends dates without a zone sends the present this way, in whole seconds of its own clock. A date of
    /// the last minute therefore counts as the present. If cursors of a profile come early, this date does too.
    func unreads(in room: RoomKey, _ conversations: Conversations, _ caller: Caller) async throws -> Int64 {
        let after = try moment("after", naiveOffset: .seconds(9 * 3600), naiveTolerance: .seconds(60))
            .map { $0 + .milliseconds(profile.earlyCursor) }
        return try await conversations.unread(in: room, for: caller.user, since: after, inTimeline: profile.isNative)
    }

    /// Moves the read marker to the `seq` of the body.
    func advanceReadMarker(
        in target: MessageTarget, _ conversations: Conversations, _ caller: Caller
    ) async throws -> Response {
        let seq = Int64(try await fields().number("seq"))
        let marker = try await conversations.advanceReadMarker(of: caller.user, in: target, to: seq)
        return reply { json in json.object { $0.field("seq", marker) } }
    }
}

extension Fields {
    /// Reads `thread` and `toRoom`; nil for a message outside of threads.
    func reply() throws(Failure) -> ReplyRequest? {
        let isInTimeline = try optionalFlag("toRoom")
        guard hasValue("thread") else {
            guard isInTimeline != true else { throw .invalid("toRoom needs a thread.") }
            return nil
        }
        let seq = Int64(try number("thread"))
        guard seq > 0 else { throw .invalid("thread must be the seq of a message.") }
        return ReplyRequest(seq: seq, isInTimeline: isInTimeline ?? false)
    }
}
