internal import Wire

/// Asks the service that owns a picture for a piece of it: auth-service for portraits, workspace-service for covers. 404 if the
/// picture is gone or is none of the service's.
public struct PicturePieceRequest: InternalRequest {
    public typealias Reply = ExportFilePiece

    public static let route = InternalRoute.get("/internal/pictures/piece")

    /// As profiles and workspaces name it, such as `/static/profiles/….png`.
    public let path: String
    /// The first byte of the piece.
    public let offset: Int64

    public init(path: String, offset: Int64) {
        self.path = path
        self.offset = offset
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let path = request.query("path") else { throw .invalid("path is missing.") }
        self.init(path: path, offset: try request.queryNumber("offset", in: 0...Int64.max) ?? 0)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.query("path", path)
        request.query("offset", offset)
    }
}

extension InternalClient {
    /// A piece of a picture of the service; nil if the picture is gone.
    func piece(ofPicture path: String, from offset: Int64) async throws -> ExportFilePiece? {
        do {
            return try await send(PicturePieceRequest(path: path, offset: offset))
        } catch let failure as Failure where failure.code == .notFound {
            return nil
        }
    }
}
