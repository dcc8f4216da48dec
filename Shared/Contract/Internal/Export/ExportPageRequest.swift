public import Wire

/// Asks a service for a page of its data about a user, for the user's own copy. The records come section by section.
///
/// Repeating a call with the same cursor gives the page again, as it is by then.
public struct ExportPageRequest: InternalRequest {
    public typealias Reply = ExportPage

    public static let route = InternalRoute.get("/internal/users/{id}/export")

    public let user: UserID
    /// The `next` of the page before; nil for the first page.
    public let cursor: String?

    public init(user: UserID, cursor: String?) {
        self.user = user
        self.cursor = cursor
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(user: try request.id("id"), cursor: request.query("cursor"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(user)
        if let cursor { request.query("cursor", cursor) }
    }
}

/// A page of an export.
public struct ExportPage: WireMessage {
    /// Records of one kind, such as `messages`.
    public struct Section: WireMessage {
        public let name: String
        /// Each is one JSON object.
        public var records: [[UInt8]]

        public init(name: String, records: [[UInt8]]) {
            self.name = name
            self.records = records
        }

        public init?(_ json: JSONValue) {
            guard let name = json.string("name"), let records = json["records"]?.elements else { return nil }
            self.init(name: name, records: records.map(\.text))
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("name", name)
                json.array("records") { json in
                    for record in records { json.raw(record) }
                }
            }
        }
    }

    public var sections: [Section]
    /// The names in the file store of the files that the records name.
    public var files: [String]
    /// The cursor of the next page; nil for the last one.
    public var next: String?

    public init(sections: [Section] = [], files: [String] = [], next: String? = nil) {
        self.sections = sections
        self.files = files
        self.next = next
    }

    public init?(_ json: JSONValue) {
        guard let files = json["files"]?.array(\.string) else { return nil }
        self.init(sections: json.list("sections"), files: files, next: json.string("next"))
    }

    public var sizeHint: Int { sections.reduce(256) { $0 + $1.records.reduce(64) { $0 + $1.count + 1 } } }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("sections", sections)
            json.field("files", files)
            if let next { json.field("next", next) }
        }
    }
}
