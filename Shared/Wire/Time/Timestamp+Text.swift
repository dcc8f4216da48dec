extension Timestamp: CustomStringConvertible {
    /// The moment as `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`.
    public var description: String {
        var output = ByteWriter(capacity: 24)
        output.append(self)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

extension Timestamp: JSONWritable {
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension JSONWriter {
    public mutating func value(_ moment: Timestamp) {
        scalar { output in
            output.append(UInt8(ascii: "\""))
            output.append(moment)
            output.append(UInt8(ascii: "\""))
        }
    }
}

extension ByteWriter {
    /// Appends `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`. A moment before the year 0 or after 9999 is written as `earliest` or
    /// `latest`.
    public mutating func append(_ moment: Timestamp) {
        let time = CivilTime(min(max(moment, .earliest), .latest))
        append(atMost: 24) { output in
            output.append(twoDigits: time.year / 100)
            output.append(twoDigits: time.year % 100)
            output.append(UInt8(ascii: "-"))
            output.append(twoDigits: time.month)
            output.append(UInt8(ascii: "-"))
            output.append(twoDigits: time.day)
            output.append(UInt8(ascii: "T"))
            output.append(twoDigits: time.hour)
            output.append(UInt8(ascii: ":"))
            output.append(twoDigits: time.minute)
            output.append(UInt8(ascii: ":"))
            output.append(twoDigits: time.second)
            output.append(UInt8(ascii: "."))
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: time.millisecond / 100))
            output.append(twoDigits: time.millisecond % 100)
            output.append(UInt8(ascii: "Z"))
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends two decimal digits of `value`, which is below 100.
    @inline(__always)
    mutating func append(twoDigits value: Int) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}
