internal import Crypto
internal import EventLoop
internal import HTTP
internal import Wire

/// The calls of one bucket. Each is repeated with a back-off when the store is slow, busy or away; all are idempotent.
struct S3Client: Sendable {
    /// Sends a request with the retries of a policy.
    typealias Send = @Sendable (HTTPClient.Request, RetryPolicy) async throws -> HTTPClient.Reply

    let bucket: S3Bucket
    private let send: Send

    /// A store answers 503 for seconds when a bucket becomes busy.
    private static let policy = RetryPolicy(
        maximumAttempts: 5, firstWait: .milliseconds(200), longestWait: .seconds(4), attemptDeadline: .seconds(20))
    private static let deadline = Duration.seconds(60)
    /// The end of a service may wait for it.
    private static let deadlineOfAbort = Duration.seconds(10)

    /// The name of the metadata that holds the SHA-256 of an object in hexadecimal.
    private static let digestField: HeaderName = "X-Amz-Meta-Sha256"

    init(_ bucket: S3Bucket, _ send: @escaping Send) {
        self.bucket = bucket
        self.send = send
    }

    /// A part of an object.
    struct Piece: Sendable {
        let bytes: [UInt8]
        /// The size of the whole object.
        let size: Int
        /// The version of the object, for further pieces of the same one.
        let tag: String
        /// The SHA-256 that the uploader noted, in hexadecimal; nil for objects of another program.
        let digest: String?
    }

    /// Stores an object of one piece.
    func put(_ body: [UInt8], digest: [UInt8], type: String, as object: String) async throws {
        var headers = Self.headers(digest: digest)
        headers.append(.contentType, type)
        headers.append(Self.digestField, Hexadecimal.encode(digest.span))
        _ = try await call(.put, object, headers: headers, body: body)
    }

    /// Reads bytes of an object, from `offset` and at most `count`; nil if there is no such object.
    ///
    /// - Parameter tag: the version that earlier pieces had.
    func piece(of object: String, at offset: Int, count: Int, tag: String? = nil) async throws -> Piece? {
        var headers = Self.headers(digest: Self.emptyDigest)
        headers.append(.range, "bytes=\(offset)-\(offset + count - 1)")
        if let tag { headers.append("If-Match", tag) }
        let reply = try await call(.get, object, headers: headers, accepting: [404, 416], sizeLimit: count + 65_536)
        switch reply.status.code {
        case 404: return nil
        // An empty object has no range.
        case 416: return Piece(bytes: [], size: offset, tag: tag ?? "", digest: nil)
        default: break
        }
        let total = reply.headers[.contentRange].flatMap { $0.split(separator: "/").last }.flatMap { Int($0) }
        guard let size = total ?? (offset == 0 ? reply.body.count : nil), let tag = reply.headers[.etag] else {
            throw S3Error(operation: "GET", status: Int(reply.status.code), code: "without a range or a tag")
        }
        return Piece(bytes: reply.body, size: size, tag: tag, digest: reply.headers[Self.digestField])
    }

    /// Deletes an object; a missing one is not an error.
    func delete(_ object: String) async throws {
        _ = try await call(.delete, object, headers: Self.headers(digest: Self.emptyDigest), accepting: [404])
    }

    /// Begins the upload of an object in parts and returns its id.
    func beginParts(of object: String, digest: [UInt8], type: String) async throws -> String {
        var headers = Self.headers(digest: Self.emptyDigest)
        headers.append(.contentType, type)
        headers.append(Self.digestField, Hexadecimal.encode(digest.span))
        let reply = try await call(.post, object, query: [("uploads", "")], headers: headers)
        guard let id = S3XML.text(of: "UploadId", in: reply.body) else {
            throw S3Error(operation: "POST", status: Int(reply.status.code), code: "without an upload id")
        }
        return id
    }

    /// Uploads a part, from 1 on, and returns its tag.
    func putPart(_ number: Int, of object: String, in upload: String, _ body: [UInt8]) async throws -> String {
        let reply = try await call(
            .put, object, query: [("partNumber", "\(number)"), ("uploadId", upload)],
            headers: Self.headers(digest: SHA256.digest(of: body.span)), body: body)
        guard let tag = reply.headers[.etag] else {
            throw S3Error(operation: "PUT", status: Int(reply.status.code), code: "without a tag")
        }
        return tag
    }

    /// Makes the object of its parts. The store answers 200 before it knows the outcome, so an error may have this status.
    func complete(_ upload: String, of object: String, tags: [String]) async throws {
        let parts = tags.enumerated().map {
            "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\(S3XML.escaped($0.element))</ETag></Part>"
        }
        let body = Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
        let reply = try await call(
            .post, object, query: [("uploadId", upload)], headers: Self.headers(digest: SHA256.digest(of: body.span)),
            body: body)
        guard S3XML.text(of: "ETag", in: reply.body) != nil else { throw Self.error("POST", reply) }
    }

    /// Drops the parts of an upload that will not be completed.
    func abort(_ upload: String, of object: String) async throws {
        _ = try await call(
            .delete, object, query: [("uploadId", upload)], headers: Self.headers(digest: Self.emptyDigest),
            accepting: [404], within: Self.deadlineOfAbort)
    }

    private static let emptyDigest = SHA256.digest(of: [UInt8]().span)

    private static func headers(digest: [UInt8]) -> Headers {
        ["X-Amz-Content-Sha256": Hexadecimal.encode(digest.span)]
    }

    private func call(
        _ method: Method, _ object: String, query: [(name: String, value: String)] = [], headers: Headers,
        body: [UInt8] = [], accepting accepted: [UInt16] = [], sizeLimit: Int = 1 << 20,
        within deadline: Duration = Self.deadline
    ) async throws -> HTTPClient.Reply {
        var request = HTTPClient.Request(method, bucket.url(of: object, query: query), headers: headers, body: body)
        request.deadline = deadline
        request.maximumReplySize = sizeLimit
        request.isIdempotent = true
        request.signature = bucket.signature
        let reply = try await send(request, Self.policy)
        guard (200...299).contains(reply.status.code) || accepted.contains(reply.status.code) else {
            throw Self.error(method.rawValue, reply)
        }
        return reply
    }

    private static func error(_ operation: String, _ reply: HTTPClient.Reply) -> S3Error {
        let code = S3XML.text(of: "Code", in: reply.body)?.filter { $0.isASCII && $0.isLetter } ?? ""
        return S3Error(operation: operation, status: Int(reply.status.code), code: String(code.prefix(64)))
    }
}
