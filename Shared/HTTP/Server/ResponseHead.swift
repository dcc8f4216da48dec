/// Status line and fields of a reply, and what they decide: how the body's end is told,
/// and whether the connection stays.
struct ResponseHead {
    /// What is known of the body.
    enum Length: Equatable {
        case known(Int)
        case chunked
        case untilClose
        /// 1xx, 204 and 304 have none and say so by their status.
        case none
    }

    let status: Status
    let length: Length
    /// Whether the connection serves another request behind this one.
    let keepsAlive: Bool
    /// Whether a body follows; not to HEAD.
    let sendsBody: Bool
    private let isForVersion0: Bool

    /// Decides for a request whose head said `parts`.
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

    /// Appends the head as it is sent, and `body` behind it.
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

    /// What the head has beside reason, date and fields, at most.
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
