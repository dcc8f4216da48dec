public import EventLoop
public import Wire

/// The reply to a GET or HEAD for a file: the whole file, a part, or 304 if the client has it.
public struct FileReply: Sendable {
    /// The kind of the reply.
    public enum Decision: Sendable, Equatable {
        /// 200 with the whole file.
        case whole
        /// 206 with these bytes.
        case part(Range<Int>)
        /// 304 Not Modified.
        case notModified
        /// The range contains no byte of the file; the caller makes the reply.
        case unsatisfiable
    }

    /// The open file; the kernel sends it, and it is closed with its last reference.
    public let file: OpenFile
    /// The size in bytes.
    public let size: Int
    /// The media type.
    public let type: String
    /// The file's version.
    public let tag: EntityTag
    /// When the file was written; nil to send no Last-Modified.
    public let modified: Timestamp?

    public init(_ file: OpenFile, size: Int, type: String, tag: EntityTag, modified: Timestamp? = nil) {
        self.file = file
        self.size = size
        self.type = type
        self.tag = tag
        self.modified = modified
    }

    /// Makes the reply, with further `headers` such as Cache-Control; nil if the range cannot be satisfied.
    public func response(to request: Request, headers: Headers = Headers()) -> Response? {
        var response = Response(headers: headers)
        response.headers.append(.etag, tag.text)
        if let modified {
            var date = ByteWriter()
            date.append(httpDate: modified)
            response.headers.append(.lastModified, date.bytes)
        }
        let decision = Self.decide(request.method, request.headers, size: size, tag: tag, modified: modified)
        switch decision {
        case .notModified:
            response.status = .notModified
            return response
        case .unsatisfiable:
            return nil
        case .whole:
            response.body = .file(file, offset: 0, length: size)
        case .part(let range):
            response.status = .partialContent
            response.headers.append(.contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
            response.body = .file(file, offset: range.lowerBound, length: range.count)
        }
        response.headers.append(.contentType, type)
        response.headers.append(.acceptRanges, "bytes")
        return response
    }

    /// Evaluates the conditions and the range of a request in the order of RFC 9110.
    public static func decide(
        _ method: Method, _ headers: RequestHeaders, size: Int, tag: EntityTag, modified: Timestamp? = nil
    ) -> Decision {
        // If-None-Match overrides If-Modified-Since.
        let known = headers.all(.ifNoneMatch)
        if !known.isEmpty {
            if known.contains(where: tag.isNamed(in:)) { return .notModified }
        } else if let modified, let since = headers[.ifModifiedSince].flatMap({ Timestamp(httpDate: $0) }) {
            if modified.seconds <= since.seconds { return .notModified }
        }
        guard method == .get, let range = headers[.range] else { return .whole }
        if let condition = headers[.ifRange], !isSame(condition, tag, modified) { return .whole }
        return switch ByteRange(range, size: size) {
        case .whole: .whole
        case .part(let range): .part(range)
        case .unsatisfiable: .unsatisfiable
        }
    }

    /// Whether If-Range still holds: the strong tag, or the exact date.
    private static func isSame(_ condition: ArraySlice<UInt8>, _ tag: EntityTag, _ modified: Timestamp?) -> Bool {
        if let date = Timestamp(httpDate: condition) { return modified.map { $0.seconds == date.seconds } ?? false }
        return !tag.isWeak && EntityTag.list(condition) == [tag]
    }
}
