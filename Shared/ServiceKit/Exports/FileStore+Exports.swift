public import Contract

extension FileStore {
    /// The piece of a file that an export asks for.
    ///
    /// - Throws: E13 if there is no such file.
    public func piece(for request: ExportFileRequest) async throws -> ExportFilePiece {
        let (offset, most) = (Int(request.offset), ExportFileRequest.pieceSize)
        do {
            guard let piece = try await read(request.name, from: offset, atMost: most) else { throw Failure.notFound }
            return ExportFilePiece(bytes: piece.bytes, size: Int64(piece.size))
        } catch is InvalidFileName {
            throw Failure.notFound
        }
    }
}
