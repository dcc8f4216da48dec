import Contract
import HTTP
import ServiceKit
import Wire

/// Writes a history as the body of a reply. A long history is streamed page by page, so that memory does not grow with
/// it.
struct HistoryReply: Sendable {
    let conversations: Conversations
    let call: Call
    let room: RoomKey
    let readers: MessageDetails.Readers
    /// The users that the reader has blocked.
    let blocked: Set<UserID>
    /// Where the pages after the first are read.
    let stores: HistoryStores
    /// Written before and after the array of messages.
    var opening: [UInt8] = []
    var closing: [UInt8] = []
    /// Whether a message with this seq and session of its author belongs in the reply.
    var isIncluded: @Sendable (Int64, SessionID) -> Bool = { _, _ in true }
    /// Asked before each page but the first, because a slow reader may lose its access: throws then, which ends the reply too early.
    let admit: @Sendable () async throws -> Void

    /// Replies with the messages of a first page and the following ones of a part, oldest first, each written by
    /// `write`.
    func messages(
        _ first: Conversations.Page, of part: Conversations.Part,
        _ write: @escaping @Sendable (MessageBody, inout JSONWriter) -> Void
    ) -> Response {
        if first.isLast {
            var isEmpty = true
            return .json(rendered(first, isFirst: true, isLast: true, &isEmpty, write))
        }
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            var page = first
            var (isFirst, isEmpty) = (true, true)
            while true {
                try await writer.write(rendered(page, isFirst: isFirst, isLast: page.isLast, &isEmpty, write))
                guard !page.isLast, let last = page.messages.last else { return }
                isFirst = false
                try await admit()
                page = try await conversations.page(
                    of: room, after: last.seq, through: part.through, inTimeline: part.inTimeline, for: readers,
                    hiding: blocked, in: stores)
            }
        }
        var response = Response(body: .stream(length: nil, body))
        response.headers.append(.contentType, "application/json")
        return response
    }

    private func rendered(
        _ page: Conversations.Page, isFirst: Bool, isLast: Bool, _ isEmpty: inout Bool,
        _ write: (MessageBody, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var output = ByteWriter(capacity: 512 * page.messages.count + opening.count + closing.count + 2)
        if isFirst {
            output.append(opening)
            output.append(UInt8(ascii: "["))
        }
        for (message, session) in zip(page.messages, page.sessions) where isIncluded(message.seq, session) {
            if !isEmpty { output.append(UInt8(ascii: ",")) }
            isEmpty = false
            output.append(JSONWriter.bytes { json in write(message, &json) })
        }
        if isLast {
            output.append(UInt8(ascii: "]"))
            output.append(closing)
        }
        return output.take()
    }
}
