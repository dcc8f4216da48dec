public import Contract

extension Pictures {
    /// The piece of a picture that another service asks for. Nothing but pictures of these folders is read.
    ///
    /// - Throws: E13 if there is no such picture.
    public func piece(for request: PicturePieceRequest, in folders: [String]) async throws -> ExportFilePiece {
        guard folders.contains(where: { request.path.hasPrefix(Self.path(of: $0 + "/")) }) else {
            throw Failure.notFound
        }
        return try await files.piece(of: String(request.path.dropFirst(Self.path(of: "").count)), from: request.offset)
    }
}
