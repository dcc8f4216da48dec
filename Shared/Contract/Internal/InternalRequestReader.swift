public import HTTP
public import Wire

/// The path parameters, the query and the body of an internal call, as the called service receives them.
public struct InternalRequestReader: Sendable {
    private let path: ArraySlice<UInt8>
    private let parameters: PathParameters
    private let query: QueryParameters?
    private let body: JSONValue?

    /// Ids in one bulk call at most.
    public static let bulkLimit = 1000

    /// - Parameter body: the bytes of the body; nil or empty if the call has none.
    public init(
        path: ArraySlice<UInt8>, parameters: PathParameters, query: ArraySlice<UInt8>?, body: [UInt8]?
    ) throws {
        self.path = path
        self.parameters = parameters
        if let query, !query.isEmpty {
            guard let parsed = QueryParameters(query) else { throw Failure.invalid("The query is not valid.") }
            self.query = parsed
        } else {
            self.query = nil
        }
        self.body = if let body, !body.isEmpty { try JSONValue(parsing: body) } else { nil }
    }

    // MARK: Path

    /// The path parameter `name`, percent-decoded.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = parameters[name, in: path], let decoded = PercentEncoding.decode(text) else {
            throw .notFound
        }
        return decoded
    }

    /// The path parameter `name` as an id.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        guard let text = parameters[name, in: path], let id = ID<Subject>(parsing: text.span) else {
            throw .notFound
        }
        return id
    }

    /// The path parameter `name` as a room, such as `channel-7`.
    public func room(_ name: String) throws(Failure) -> RoomID {
        guard let room = RoomID(try text(name)) else { throw .notFound }
        return room
    }

    // MARK: Query

    /// The query parameter `name`, decoded; nil if it is missing.
    public func query(_ name: String) -> String? { query?[name] }

    /// The query parameter `name` as a whole number within `range`; nil if it is missing.
    public func queryNumber<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(Failure) -> Value? {
        guard let text = query(name) else { return nil }
        guard let number = Value(text), range.contains(number) else { throw .invalid("\(name) is out of range.") }
        return number
    }

    /// The query parameter `name` as an id; it is required.
    public func queryID<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        guard let id = query(name).flatMap(ID<Subject>.init) else { throw .invalid("\(name) is missing.") }
        return id
    }

    // MARK: Body

    /// The member `name` of the body; nil if it is missing.
    public func member(_ name: StaticString) -> JSONValue? { body?[name] }

    /// The member `name` of the body as text.
    public func memberText(_ name: StaticString) throws(Failure) -> String {
        guard let text = member(name)?.string else { throw .invalid("\(name) is not valid.") }
        return text
    }

    /// The member `name` of the body as an integer.
    public func memberInteger(_ name: StaticString) throws(Failure) -> Int {
        guard let number = member(name)?.int else { throw .invalid("\(name) is not valid.") }
        return number
    }

    /// The member `name` of the body as an id.
    public func memberID<Subject>(_ name: StaticString) throws(Failure) -> ID<Subject> {
        guard let id: ID<Subject> = body?.textID(name) else { throw .invalid("\(name) is not valid.") }
        return id
    }

    /// The member `name` of the body as ids, none if it is missing; at most as many as a bulk call may have.
    public func memberIDs<Subject>(_ name: StaticString) throws(Failure) -> [ID<Subject>] {
        guard let list = member(name), list.kind == .array else { return [] }
        guard let ids: [ID<Subject>] = body?.textIDs(name), ids.count <= Self.bulkLimit else {
            throw .invalid("\(name) is not valid.")
        }
        return ids
    }

    /// The member `name` of the body: a list of messages.
    func memberList<Message: WireMessage>(_ name: StaticString) throws(Failure) -> [Message] {
        guard let list: [Message] = body?.wholeList(name) else { throw .invalid("\(name) is not valid.") }
        return list
    }

    /// The member `name` of the body as texts; at most as many as a bulk call may have.
    public func memberTexts(_ name: StaticString) throws(Failure) -> [String] {
        guard let texts = member(name)?.array(\.string), texts.count <= Self.bulkLimit else {
            throw .invalid("\(name) is not valid.")
        }
        return texts
    }
}
