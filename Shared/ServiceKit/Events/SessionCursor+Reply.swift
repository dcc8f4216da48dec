internal import Redis
internal import Wire

extension SessionCursor {
    /// Reads the fields of a cursor and the start of the newest history call; nil where there are none.
    init?(_ reply: RedisValue, reading: RedisValue? = nil) {
        let reading = reading?.text.flatMap(Int64.init)
        guard let fields = reply.array, fields.count == 8,
            reading != nil || fields.contains(where: { $0.text != nil })
        else { return nil }
        func number(_ index: Int) -> Int64? { fields[index].text.flatMap(Int64.init) }
        func time(_ index: Int) -> Timestamp? { number(index).map { Timestamp(milliseconds: $0) } }
        let socket = fields[3].text.map { Socket(name: $0, start: number(4), joined: time(5), end: number(6)) }
        self.init(
            seq: number(0), history: number(1), reported: time(2), socket: socket,
            isBeingRead: reading.map { $0 > number(7) ?? 0 } ?? false)
    }
}
