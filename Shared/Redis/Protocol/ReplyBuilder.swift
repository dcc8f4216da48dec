internal import CRedis

/// Builds one `RedisValue` from the values that hiredis's reader finds, in their order.
final class ReplyBuilder {
    private struct OpenArray {
        var members: [RedisValue]
        let count: Int
    }

    /// Arrays that are not complete, the outermost first.
    private var open: [OpenArray] = []
    private var reply: RedisValue?
    private let limit: Int
    /// The size of the incomplete reply in memory so far, in bytes.
    private(set) var size = 0
    /// Why a value was refused.
    private(set) var refusal: String?

    /// The size of a value in memory besides its bytes.
    private static let valueSize = MemoryLayout<RedisValue>.stride
    /// The greatest number of elements for which space is reserved in advance: the count comes from the server.
    private static let reservation = 1024

    init(limit: Int) { self.limit = limit }

    func takeReply() -> RedisValue? {
        size = 0
        defer { reply = nil }
        return reply
    }

    fileprivate func add(_ value: RedisValue, size valueSize: Int = 0) -> Bool {
        guard admit(valueSize) else { return false }
        guard var last = open.popLast() else {
            reply = value
            return true
        }
        last.members.append(value)
        guard last.members.count == last.count else {
            open.append(last)
            return true
        }
        return add(.array(last.members), size: -Self.valueSize)
    }

    fileprivate func beginArray(of count: Int) -> Bool {
        guard count > 0 else { return add(.array([])) }
        guard count <= limit / Self.valueSize else {
            refusal = "an array of \(count) members"
            return false
        }
        var members: [RedisValue] = []
        members.reserveCapacity(min(count, Self.reservation))
        open.append(OpenArray(members: members, count: count))
        return admit(0)
    }

    private func admit(_ count: Int) -> Bool {
        size += count + Self.valueSize
        if size > limit { refusal = "a reply of more than \(limit) bytes" }
        return size <= limit
    }
}

extension ReplyBuilder {
    /// hiredis expects an object for each value and stops without one; the builder itself serves as the object for all.
    static var functions: redisReplyObjectFunctions {
        redisReplyObjectFunctions(
            createString: { task, text, count in
                ReplyBuilder.with(task) {
                    $0.addText(UnsafeRawBufferPointer(start: text, count: count), task!.pointee.type)
                }
            },
            createArray: { task, count in ReplyBuilder.with(task) { $0.beginArray(of: Int(count)) } },
            createInteger: { task, number in ReplyBuilder.with(task) { $0.add(.integer(number)) } },
            createNil: { task in ReplyBuilder.with(task) { $0.add(.null) } },
            freeObject: { _ in })
    }

    private static func with(
        _ task: UnsafePointer<redisReadTask>?, _ body: (ReplyBuilder) -> Bool
    ) -> UnsafeMutableRawPointer? {
        let builder = task!.pointee.privdata!
        return body(Unmanaged<ReplyBuilder>.fromOpaque(builder).takeUnretainedValue()) ? builder : nil
    }

    private func addText(_ text: UnsafeRawBufferPointer, _ type: Int32) -> Bool {
        switch type {
        case REDIS_REPLY_STATUS: add(.status(String(decoding: text, as: UTF8.self)), size: text.count)
        case REDIS_REPLY_ERROR:
            add(.error(RedisRefusal(message: String(decoding: text, as: UTF8.self))), size: text.count)
        default: add(.bytes([UInt8](text)), size: text.count)
        }
    }
}
