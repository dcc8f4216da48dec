internal import EventLoop

/// Writes status line and fields, and decides how the end of the body is told.
struct ResponseHead {
    /// What is known of the body.
    enum Length {
        case known(Int)
        case chunked
        case untilClose
        /// 1xx, 204 and 304 have none and say so by their status.
        case none
    }

    var status: Status
    var length: Length
    var keepsAlive: Bool
    /// A client of HTTP/1.0 has to be told that the connection stays.
    var isForVersion0: Bool

    /// The head, with room for `extra` bytes behind it.
    func bytes(_ headers: Headers, date: borrowing DateField, extra: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(160 + headers.lines.count + extra)
        out.append("HTTP/1.1 ")
        let code = status.code
        out.append(UInt8(ascii: "0") + UInt8(code / 100))
        out.append(UInt8(ascii: "0") + UInt8(code / 10 % 10))
        out.append(UInt8(ascii: "0") + UInt8(code % 10))
        out.append(UInt8(ascii: " "))
        out.append(status.reason)
        out.append("\r\n")
        if code >= 200 { out.append(contentsOf: date.line) }
        if headers.mayHoldFraming {
            var own = headers
            for name in [HeaderName.connection, .contentLength, .transferEncoding] { own.remove(name) }
            out.append(contentsOf: own.lines)
        } else {
            out.append(contentsOf: headers.lines)
        }
        switch length {
        case .known(let count):
            out.append("Content-Length: ")
            out.append(decimal: count)
            out.append("\r\n")
        case .chunked: out.append("Transfer-Encoding: chunked\r\n")
        case .untilClose, .none: break
        }
        if code == 101 {
            out.append("Connection: Upgrade\r\n")
        } else if !keepsAlive {
            out.append("Connection: close\r\n")
        } else if isForVersion0 {
            out.append("Connection: keep-alive\r\n")
        }
        out.append("\r\n")
        return out
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

    mutating func append(decimal value: Int) {
        var rest = value
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: digits[start...])
        }
    }
}
