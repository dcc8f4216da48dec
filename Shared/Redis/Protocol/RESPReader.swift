internal import CRedis

/// Parses replies as they arrive, with hiredis's reader and straight into `RedisValue`.
///
/// Limits apply: a reply of more than `limit` bytes, or nested more than seven levels deep, is an error, after which
/// the connection must be closed.
struct RESPReader: ~Copyable {
    /// The bytes are not RESP, or exceed the reader's limits.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: ReplyBuilder
    private let limit: Int

    /// hiredis moves the rest of its buffer after each kilobyte of replies, so it gets its input in small portions.
    private static let portion = 16 * 1024

    init(limit: Int) {
        self.limit = limit
        builder = ReplyBuilder(limit: limit)
        functions = .allocate(capacity: 1)
        functions.initialize(to: ReplyBuilder.functions)
        reader = redisReaderCreateWithFunctions(functions)
        reader.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque()
        // hiredis keeps an empty buffer of up to this size for the next portion.
        reader.pointee.maxbuf = 4 * Self.portion
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// Parses all of `bytes`, and passes on each reply that they complete.
    func read(_ bytes: UnsafeRawBufferPointer, _ take: (RedisValue) -> Void) throws(Malformed) {
        var rest = bytes
        while !rest.isEmpty {
            let portion = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.portion))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Self.portion))
            redisReaderFeed(reader, portion.baseAddress, portion.count)
            while let reply = try next() { take(reply) }
            if reader.pointee.len - reader.pointee.pos + builder.size > limit {
                throw Malformed(reason: "a reply of more than \(limit) bytes")
            }
        }
    }

    private func next() throws(Malformed) -> RedisValue? {
        var object: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &object) == REDIS_OK else {
            throw Malformed(reason: builder.refusal ?? errorText)
        }
        return object == nil ? nil : builder.takeReply()
    }

    private var errorText: String {
        withUnsafeBytes(of: reader.pointee.errstr) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
