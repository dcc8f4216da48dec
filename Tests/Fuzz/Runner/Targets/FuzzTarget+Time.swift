import Wire

extension FuzzTarget {
    /// A moment is read back from its own texts; an id has one text.
    static let time = FuzzTarget { bytes in
        for offset in [nil, Duration.seconds(9 * 3600)] {
            guard let moment = Timestamp(parsing: bytes.span, withoutZoneAheadBy: offset) else { continue }
            require(Timestamp(moment.description) == moment, "a moment is not read back from its text")
        }
        if let moment = Timestamp(httpDate: bytes) {
            var text = ByteWriter()
            text.append(httpDate: moment)
            require(Timestamp(httpDate: text.bytes) == moment, "an HTTP date is not read back")
        }
        if let id = UserID(parsing: bytes.span) { require(Array(id.description.utf8) == bytes, "an id has two texts") }
        let text = String(decoding: bytes, as: UTF8.self)
        if let room = RoomID(text) { require(room.description == text, "a room has two texts") }
    }
}
