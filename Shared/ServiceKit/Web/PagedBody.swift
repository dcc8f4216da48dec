internal import HTTP
public import Wire

/// A part of a JSON reply that is written piece by piece.
protocol PagedBodyPart: Sendable {
    /// Writes until `json` holds `size` bytes or the part ends.
    ///
    /// - Returns: whether the part has ended.
    mutating func write(to json: inout JSONWriter, upTo size: Int) async throws -> Bool

    /// Frees the elements that were read and are not written yet; the next write reads them again.
    mutating func dropPage()
}

/// A JSON reply with lists that may be long.
///
///     var body = PagedBody()
///     body.append { json in json.beginArray() }
///     body.append(channels)
///     body.append { json in json.endArray() }
///     return try await call.reply(body)
public struct PagedBody: Sendable {
    private var parts: [any PagedBodyPart] = []
    private var position = 0
    private var json = JSONWriter(capacity: 1024)

    /// Bytes of a reply that is sent as a whole; longer ones are streamed.
    static let wholeSize = 64 * 1024
    /// Bytes of a piece of a streamed reply.
    static let pieceSize = 16 * 1024

    public init() {}

    /// Appends a short piece of JSON, which may leave arrays and objects open for the next parts.
    public mutating func append(_ write: @escaping @Sendable (inout JSONWriter) -> Void) {
        parts.append(ShortPart(write: write))
    }

    /// Appends the elements of a list.
    public mutating func append<Element, Key>(_ list: PagedList<Element, Key>) {
        parts.append(PagedListProgress(list))
    }

    /// Appends a list as an array.
    public mutating func append<Element, Key>(array list: PagedList<Element, Key>) {
        append { json in json.beginArray() }
        append(list)
        append { json in json.endArray() }
    }

    /// Writes until `size` bytes wait or the body ends.
    ///
    /// - Returns: whether the body has ended.
    mutating func fill(upTo size: Int) async throws -> Bool {
        while position < parts.count {
            guard try await parts[position].write(to: &json, upTo: size) else { return false }
            position += 1
        }
        return true
    }

    /// The bytes written since the last call.
    mutating func takeWritten() -> [UInt8] { json.takeWritten() }

    /// Frees the pages that are not written yet.
    mutating func dropPages() {
        for index in position..<parts.count { parts[index].dropPage() }
    }

    /// Sends the rest of the body. While the client is slow, only the queued bytes stay in memory.
    mutating func send(to writer: BodyWriter) async throws {
        var isComplete = false
        while true {
            let isSlow = try writer.queue(takeWritten())
            if isComplete { return }
            if isSlow {
                dropPages()
                try await writer.waitForClient()
            }
            isComplete = try await fill(upTo: Self.pieceSize)
        }
    }

    private struct ShortPart: PagedBodyPart {
        let write: @Sendable (inout JSONWriter) -> Void

        func write(to json: inout JSONWriter, upTo size: Int) async throws -> Bool {
            write(&json)
            return true
        }

        func dropPage() {}
    }
}
