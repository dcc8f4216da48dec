@testable import Redis

extension FuzzTarget {
    /// Replies are the same wherever the bytes are cut, are read back as they are written, and respect the limit. The
    /// typed accessors accept or refuse any reply without a trap.
    static let resp = FuzzTarget { bytes in
        let (whole, failure) = replies(to: [bytes])
        let cut = bytes.isEmpty ? 0 : Int(bytes[0]) % bytes.count
        let (parts, laterFailure) = replies(to: [Array(bytes[..<cut]), Array(bytes[cut...])])
        require(
            parts == whole && (failure == nil) == (laterFailure == nil), "cut at \(cut) it is not read back unchanged")
        require(replies(to: [whole.flatMap(\.resp)]).values == whole, "the value has changed")
        for reply in whole {
            require(reply.size <= limit, "a reply of \(reply.size) bytes")
            _ = RedisPush(reply)
            _ = try? RedisStreamEntry.list(reply)
            _ = try? RedisGroupState(reply)
            _ = try? RedisPendingEntry(reply)
        }
    }

    private static let limit = 2048

    private static func replies(to parts: [[UInt8]]) -> (values: [RedisValue], failure: RESPReader.Malformed?) {
        let reader = RESPReader(limit: limit)
        var values: [RedisValue] = []
        do {
            for part in parts {
                try part.withUnsafeBytes { try reader.read($0) { values.append($0) } }
            }
            return (values, nil)
        } catch {
            return (values, error as? RESPReader.Malformed)
        }
    }
}

extension RedisValue {
    /// The value as a server would send it.
    fileprivate var resp: [UInt8] {
        switch self {
        case .null: Array("$-1\r\n".utf8)
        case .integer(let number): Array(":\(number)\r\n".utf8)
        case .status(let word): Array("+\(word)\r\n".utf8)
        case .error(let refusal): Array("-\(refusal.message)\r\n".utf8)
        case .bytes(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + [13, 10]
        case .array(let members): Array("*\(members.count)\r\n".utf8) + members.flatMap(\.resp)
        }
    }

    /// The number of bytes of data in the value.
    fileprivate var size: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .array(let members): members.reduce(0) { $0 + $1.size }
        default: 1
        }
    }
}
