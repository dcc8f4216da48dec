internal import Wire

/// The line `Date: …`, rendered once a second.
struct DateField {
    private(set) var line: [UInt8] = []
    private var validUntil: UInt64 = 0

    /// Renders the line again if its second has passed; `now` is the loop's time.
    mutating func refresh(now: UInt64) {
        guard now >= validUntil else { return }
        let moment = Timestamp.now
        let inSecond = moment.milliseconds - moment.seconds * 1000
        validUntil = now + UInt64(1000 - inSecond) * 1_000_000
        var text = ByteWriter(continuing: [])
        text.append("Date: ")
        text.append(httpDate: moment)
        text.append("\r\n")
        line = text.take()
    }
}
