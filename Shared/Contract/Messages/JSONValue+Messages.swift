internal import Wire

/// Members as services write them to each other: ids are decimal strings, and numbers are integers.
extension JSONValue {
    /// A member that is an id; nil if it is missing or malformed.
    func textID<Subject>(_ name: StaticString) -> ID<Subject>? { string(name).flatMap(ID.init) }

    /// A member that is a list of ids; nil if it is missing or one of them is malformed.
    func textIDs<Subject>(_ name: StaticString) -> [ID<Subject>]? {
        self[name]?.array { $0.string.flatMap(ID<Subject>.init) }
    }

    /// A member that is a room, such as `channel-7`.
    func room(_ name: StaticString) -> RoomID? { string(name).flatMap(RoomID.init) }

    /// A member that is an integer.
    func int64(_ name: StaticString) -> Int64? { int(name).map { Int64($0) } }

    /// A member that is a time in milliseconds since 1970.
    func timestamp(_ name: StaticString) -> Timestamp? { int64(name).map { Timestamp(milliseconds: $0) } }

    /// The messages in a list that can be read. A newer service may add elements that this one does not know.
    func list<Message: WireMessage>(_ name: StaticString) -> [Message] {
        self[name]?.elements?.compactMap(Message.init) ?? []
    }

    /// The messages in a list; nil if there is no list, or if one of them cannot be read.
    func wholeList<Message: WireMessage>(_ name: StaticString) -> [Message]? {
        guard let elements = self[name]?.elements else { return nil }
        var messages: [Message] = []
        for element in elements {
            guard let message = Message(element) else { return nil }
            messages.append(message)
        }
        return messages
    }
}
