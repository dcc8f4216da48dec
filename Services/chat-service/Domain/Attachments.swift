import Contract
import Crypto
import ServiceKit
import Wire

/// The files of messages: typed by their first bytes, named by us.
struct Attachments: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case channelChats, dmChats

        init(_ room: RoomID) { self = room.kind == .channel ? .channelChats : .dmChats }
    }

    let files: any FileStore
    let store: FileRecordStore

    private static let longestName = 100

    /// Keeps the uploads for a room and returns their paths in order.
    func keep(_ uploads: [UploadedFile], in room: RoomID) async throws -> [String] {
        let folder = Folder(room)
        var records: [FileRecord] = []
        do {
            for upload in uploads {
                guard let type = upload.type else { throw Failure.invalid("A file of this type is not accepted.") }
                let unique = Hexadecimal.encode(SecureRandom.bytes(16).span) + "." + type.suffix
                let record = FileRecord(
                    name: unique, folder: folder.rawValue, room: room,
                    displayName: Self.displayName(upload.name, type), size: Int64(upload.upload.size))
                try await files.keep(upload.upload, as: record.storeName)
                records.append(record)
            }
            try await store.insert(records)
        } catch {
            await discard(records)
            throw error
        }
        return records.map(\.path)
    }

    /// Forgets all files of a room, in pieces.
    func discard(_ room: RoomID) async throws {
        while case let records = try await store.list(room, limit: 500), !records.isEmpty {
            try await files.remove(records.map(\.storeName))
            try await store.remove(records.map(\.name))
        }
    }

    /// Forgets files that no message refers to.
    func discard(paths: [String]) async {
        let names = paths.compactMap(FileRecord.name(inPath:))
        guard let records = try? await store.find(names) else { return }
        await discard(records)
    }

    private func discard(_ records: [FileRecord]) async {
        try? await store.remove(records.map(\.name))
        try? await files.remove(records.map(\.storeName))
    }

    /// A document is shown under the name that its sender gave it; a picture needs none.
    private static func displayName(_ name: String, _ type: FileType) -> String {
        if type.isImage && type != .gif { return "image" }
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "file"
        let stem = last.hasSuffix("." + type.suffix) ? last.dropLast(type.suffix.count + 1) : last
        return stem.isEmpty ? "file" : String(stem.prefix(longestName))
    }
}
