public import Wire

/// Asks a service for a piece of a file that an `ExportPage` has named. 404 if the file is gone or is not the user's.
public struct ExportFileRequest: InternalRequest {
    public typealias Reply = ExportFilePiece

    public static let route = InternalRoute.get("/internal/users/{id}/export/file")

    /// The most bytes of a piece.
    public static let pieceSize = 1 << 20

    public let user: UserID
    /// The name in the file store, such as `channelChats/….png`.
    public let name: String
    /// The first byte of the piece.
    public let offset: Int64

    public init(user: UserID, name: String, offset: Int64) {
        self.user = user
        self.name = name
        self.offset = offset
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let name = request.query("name") else { throw .invalid("name is missing.") }
        self.init(
            user: try request.id("id"), name: name,
            offset: try request.queryNumber("offset", in: 0...Int64.max) ?? 0)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(user)
        request.query("name", name)
        request.query("offset", offset)
    }
}

/// A piece of a file.
public struct ExportFilePiece: WireMessage {
    public let bytes: [UInt8]
    /// The size of the whole file.
    public let size: Int64

    public init(bytes: [UInt8], size: Int64) {
        self.bytes = bytes
        self.size = size
    }

    public init?(_ json: JSONValue) {
        guard let bytes = json.string("bytes").flatMap({ Base64.decode($0.utf8.span, .standard) }),
            let size = json.int64("size")
        else { return nil }
        self.init(bytes: bytes, size: size)
    }

    public var sizeHint: Int { bytes.count * 4 / 3 + 64 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("bytes", Base64.encode(bytes.span, .standard))
            json.field("size", size)
        }
    }
}
