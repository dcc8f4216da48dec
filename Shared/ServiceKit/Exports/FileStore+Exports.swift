public import Contract

extension FileStore {
    /// The piece of a file that an export asks for.
    ///
    /// - Throws: E13 if there is no such file.
    public func piece(for request: ExportFileRequest) async throws -> ExportFilePiece {
        try await piece(of: request.name, from: request.offset)
    }

    /// A piece of a file for another service.
    ///
    /// - Throws: E13 if there is no such file.
    func piece(of name: String, from offset: Int64) async throws -> ExportFilePiece {
        let most = ExportFileRequest.pieceSize
        do {
            guard let piece = try await read(name, from: Int(offset), atMost: most) else { throw Failure.notFound }
            return ExportFilePiece(bytes: piece.bytes, size: Int64(piece.size))
        } catch is InvalidFileName {
            throw Failure.notFound
        }
    }
}
