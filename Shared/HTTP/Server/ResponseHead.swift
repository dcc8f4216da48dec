/// The status line and fields of a reply: frames the body, and decides whether the connection is kept.
struct ResponseHead {
    /// How the client finds the end of the body.
    enum Length: Equatable {
        case known(Int)
        case chunked
        case untilClose
        /// No body, which the status 1xx, 204 or 304 implies.
        case none
    }

    let status: Status
    let length: Length
    /// Whether the connection is kept for another request.
    let keepsAlive: Bool
    /// Whether a body follows; never for HEAD.
    let sendsBody: Bool
    private let isForVersion0: Bool

    /// Makes the head of the reply to a request.
    init(_ response: Response, to parts: HeadParts, mayKeepAlive: Bool) {
        status = response.status
        isForVersion0 = parts.minorVersion == 0
        if status.isBodiless {
            length = .none
        } else {
            length =
                switch response.body {
                case .none, .upgrade: .known(0)
                case .bytes(let bytes): .known(bytes.count)
                case .file(_, _, let count): .known(count)
                case .stream(.some(let count), _): .known(count)
                case .stream(nil, _): isForVersion0 ? .untilClose : .chunked
                }
        }
        keepsAlive = parts.keepsAlive && mayKeepAlive && length != .untilClose
        sendsBody = parts.method != .head && length != .none
    }

    /// Appends the head and `body`.
    func append(
        _ headers: Headers, date: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, to out: inout [UInt8]
    ) {
        headers.withoutFraming { fields in
            let most = Self.ownSize + status.reason.utf8CodeUnitCount + date.count + fields.count + body.count
            out.append(addingCapacity: most) { out in
                appendStatusLine(to: &out)
                if status.code >= 200 { out.append(date) }
                out.append(fields)
                appendFraming(to: &out)
                out.append(body)
            }
        }
    }

    /// The largest size of the head without reason, date and fields.
    private static let ownSize = 128

    private func appendFraming(to out: inout OutputSpan<UInt8>) {
        switch length {
        case .known(let count):
            out.append("Content-Length: ")
            out.append(decimal: count)
            out.append("\r\n")
        case .chunked: out.append("Transfer-Encoding: chunked\r\n")
        case .untilClose, .none: break
        }
        if status == .switchingProtocols {
            out.append("Connection: Upgrade\r\n")
        } else if !keepsAlive {
            out.append("Connection: close\r\n")
        } else if isForVersion0 {
            out.append("Connection: keep-alive\r\n")
        }
        out.append("\r\n")
    }

    private func appendStatusLine(to out: inout OutputSpan<UInt8>) {
        guard status != .ok else { return out.append("HTTP/1.1 200 OK\r\n") }
        out.append("HTTP/1.1 ")
        out.append(decimal: Int(status.code))
        out.append(" ")
        out.append(status.reason)
        out.append("\r\n")
    }
}
