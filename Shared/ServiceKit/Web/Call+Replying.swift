public import Contract
public import HTTP
internal import Synchronization
public import Wire

extension Call {
    /// The reply of a successful call without content.
    public func done() -> Response { .json(Array("{}".utf8)) }

    /// A reply with one entity.
    public func reply(_ view: some View) -> Response { reply { json in json.view(view, for: profile) } }

    /// A reply with a list of entities.
    public func reply(_ views: [some View]) -> Response { reply { json in json.views(views, for: profile) } }

    /// A reply with lists that may be long: a short one is sent as a whole, a long one page by page as the client takes
    /// it. A failure after the first bytes closes the connection.
    public func reply(_ body: consuming PagedBody) async throws -> Response {
        var body = body
        guard try await !body.fill(upTo: PagedBody.wholeSize) else { return .json(body.takeWritten()) }
        let rest = Remainder(body)
        var response = Response(
            body: .stream(length: nil) { writer in
                guard var body = rest.take() else { return }
                try await body.send(to: writer)
            })
        response.headers.append(.contentType, "application/json")
        return response
    }

    /// A reply with a list that may be long.
    public func reply<Element, Key>(_ list: PagedList<Element, Key>) async throws -> Response {
        var body = PagedBody()
        body.append(array: list)
        return try await reply(body)
    }

    /// A reply with the JSON value that `write` writes.
    public func reply(capacity: Int = 512, _ write: (inout JSONWriter) -> Void) -> Response {
        .json(JSONWriter.bytes(capacity: capacity, write))
    }

    /// A reply with a new entity: 201 for clients that accept HTTP statuses, else 200.
    public func created(_ view: some View) -> Response {
        var response = reply(view)
        if profile.statuses == .http { response.status = .created }
        return response
    }
}

/// The rest of a streamed reply. Its sender takes it out: a copy that stays here would keep the pages in memory that the
/// sender drops while the client is slow.
private final class Remainder: Sendable {
    private let body: Mutex<PagedBody?>

    init(_ body: consuming PagedBody) { self.body = Mutex(body) }

    func take() -> PagedBody? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
