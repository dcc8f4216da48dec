import Contract
import Crypto
import EventLoop
import ServiceKit
import Wire

/// Writes the archive of one export to the file store, page by page and piece by piece.
struct ExportBuilder: Sendable {
    let sources: ExportSources
    let files: any FileStore
    /// The largest archive in bytes.
    let limit: Int

    /// The pause after each page, in which other calls have the databases to themselves.
    private static let pause = Duration.milliseconds(20)

    /// The archive would exceed its limit.
    struct TooLarge: Error {}

    /// Writes the archive.
    ///
    /// - Parameter keepLease: runs between the pages and throws once another instance has taken over.
    func build(
        of account: UserID, at moment: Timestamp, on loop: EventLoop, keepLease: () async throws -> Void
    ) async throws -> FileUpload {
        let upload = try await files.begin()
        var archive = ExportArchive(at: moment)
        try await write(try archive.begin(for: account), to: upload)
        for part in ExportPart.allCases {
            var names: [String] = []
            var cursor: String?
            repeat {
                try await keepLease()
                let page = try await sources.page(part, of: account, after: cursor)
                try await write(try archive.append(page, of: part), to: upload)
                names += page.files
                cursor = page.next
                try await loop.sleep(for: Self.pause)
            } while cursor != nil
            try await write(try archive.endSection(), to: upload)
            for name in names {
                try await keepLease()
                guard let first = try await sources.piece(of: name, in: part, of: account, from: 0),
                    let begin = try archive.beginFile(name, size: first.size)
                else { continue }
                try await write(begin, to: upload)
                var (piece, offset): (ExportFilePiece?, Int64) = (first, 0)
                while let bytes = piece?.bytes, !bytes.isEmpty {
                    try await write(try archive.append(bytes), to: upload)
                    offset += Int64(bytes.count)
                    if offset >= first.size { break }
                    try await keepLease()
                    piece = try await sources.piece(of: name, in: part, of: account, from: offset)
                }
                try await write(try archive.endFile(), to: upload)
            }
        }
        try await write(try archive.finish(), to: upload)
        return upload
    }

    private func write(_ bytes: [UInt8], to upload: FileUpload) async throws {
        try await upload.write(bytes.span.bytes)
        if upload.size > limit { throw TooLarge() }
    }

    /// A name that nobody can guess.
    static func fileName() -> String {
        "\(Exports.folder)/\(Hexadecimal.encode(SecureRandom.bytes(16).span)).zip"
    }
}
