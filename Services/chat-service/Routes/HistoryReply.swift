import Contract
import HTTP
import ServiceKit
import Wire

/// A history as the body of a reply, streamed page by page where it is long, so that its length costs no memory.
struct HistoryReply: Sendable {
    let conversations: Conversations
    let call: Call
    let room: RoomID
    /// Written around the messages, which are an array.
    var opening: [UInt8] = []
    var closing: [UInt8] = []
    /// Which messages stand in the reply.
    var isIncluded: @Sendable (StoredMessage) -> Bool = { _ in true }

    /// Messages with their authors.
    struct Page: Sendable {
        let messages: [MessageBody]
        /// The same messages, for their places and sessions.
        let stored: [StoredMessage]
    }

    /// The messages of a first page and those behind it up to `through`, oldest first, each written by `write`.
    func messages(
        _ first: Page, through: Int64, _ write: @escaping @Sendable (MessageBody, inout JSONWriter) -> Void
    ) -> Response {
        // Where messages have gone meanwhile a page is empty.
        let isLast: @Sendable (Page) -> Bool = { page in page.stored.last.map { $0.seq >= through } ?? true }
        if isLast(first) {
            var isEmpty = true
            return .json(rendered(first, isFirst: true, isLast: true, &isEmpty, write))
        }
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            var page = first
            var (isFirst, isEmpty) = (true, true)
            while true {
                try await writer.write(rendered(page, isFirst: isFirst, isLast: isLast(page), &isEmpty, write))
                guard !isLast(page), let last = page.stored.last else { return }
                isFirst = false
                page = try await self.page(after: last.seq, through: through)
            }
        }
        var response = Response(body: .stream(length: nil, body))
        response.headers.append(.contentType, "application/json")
        return response
    }

    /// The first page of the messages with a seq above `after` and up to `through`.
    func page(after: Int64, through: Int64) async throws -> Page {
        let stored = try await conversations.messages.page(
            of: room, after: after, through: through, limit: Conversations.pageSize, bytes: Conversations.pageBytes)
        return Page(messages: try await conversations.bodies(stored), stored: stored)
    }

    private func rendered(
        _ page: Page, isFirst: Bool, isLast: Bool, _ isEmpty: inout Bool,
        _ write: (MessageBody, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var output = ByteWriter(capacity: 512 * page.messages.count + opening.count + closing.count + 2)
        if isFirst {
            output.append(opening)
            output.append(UInt8(ascii: "["))
        }
        for (message, stored) in zip(page.messages, page.stored) where isIncluded(stored) {
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
