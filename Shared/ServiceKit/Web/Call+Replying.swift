public import Contract
public import HTTP
public import Wire

extension Call {
    /// The reply of calls that have nothing to say but that they succeeded.
    public func done() -> Response { .json(Array("{}".utf8)) }

    /// A reply of one entity.
    public func reply(_ view: some View) -> Response { reply { json in json.view(view, for: profile) } }

    /// A reply of a list of entities.
    public func reply(_ views: [some View]) -> Response { reply { json in json.views(views, for: profile) } }

    /// A reply that `write` writes, as one JSON value.
    public func reply(capacity: Int = 512, _ write: (inout JSONWriter) -> Void) -> Response {
        .json(JSONWriter.bytes(capacity: capacity, write))
    }

    /// A reply of an entity that did not exist before: 201 for clients that are told true statuses.
    public func created(_ view: some View) -> Response {
        var response = reply(view)
        if profile.statuses == .http { response.status = .created }
        return response
    }
}
