import Contract
import HTTP
import ServiceKit
import Wire

/// Writes a history as the body of a reply. A long history is streamed page by page, so that memory does not grow with
/// it.
struct HistoryReply: Sendable {
    let conversations: Conversations
    let call: Call
    let room: RoomID
    /// Written before and after the array of messages.
    var opening: [UInt8] = []
    var closing: [UInt8] = []

    /// Replies with the messages above `after` and up to `through`, oldest first, each written by `write`.
    func messages(
        after: Int64, through: Int64, _ write: @escaping @Sendable (MessageBody, inout JSONWriter) -> Void
    ) async throws -> Response {
        let first = try await page(after: after, through: through)
        // A page is empty if its messages have been erased since the request began.
        let isLast: @Sendable ([MessageBody]) -> Bool = { page in page.last.map { $0.seq >= through } ?? true }
        if isLast(first) { return .json(rendered(first, isFirst: true, isLast: true, write)) }
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            var page = first
            var isFirst = true
            while true {
                try await writer.write(rendered(page, isFirst: isFirst, isLast: isLast(page), write))
                guard !isLast(page), let last = page.last else { return }
                isFirst = false
                page = try await self.page(after: last.seq, through: through)
            }
        }
        var response = Response(body: .stream(length: nil, body))
        response.headers.append(.contentType, "application/json")
        return response
    }

    private func page(after: Int64, through: Int64) async throws -> [MessageBody] {
        try await conversations.page(of: room, after: after, through: through)
    }

    private func rendered(
        _ page: [MessageBody], isFirst: Bool, isLast: Bool, _ write: (MessageBody, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var output = ByteWriter(capacity: 512 * page.count + opening.count + closing.count + 2)
        if isFirst {
            output.append(opening)
            output.append(UInt8(ascii: "["))
        }
        for (index, message) in page.enumerated() {
            if !isFirst || index > 0 { output.append(UInt8(ascii: ",")) }
            output.append(JSONWriter.bytes { json in write(message, &json) })
        }
        if isLast {
            output.append(UInt8(ascii: "]"))
            output.append(closing)
        }
        return output.take()
    }
}
