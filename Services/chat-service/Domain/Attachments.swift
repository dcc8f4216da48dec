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

    /// Characters, and bytes in UTF-8, of a display name.
    private static let longestName = (characters: 100, bytes: 255)
    /// Files forgotten at once.
    private static let piece = 500

    /// Keeps the uploads for a room and returns their paths in order.
    func keep(_ uploads: [UploadedFile], in room: RoomID) async throws -> [String] {
        let records = try uploads.map { try record($0, in: room) }
        if records.isEmpty { return [] }
        do {
            // Noted first: a crash leaves nothing in the store that nobody knows of.
            try await store.insert(records, at: .now)
            for (upload, record) in zip(uploads, records) {
                try await files.keep(upload.upload, as: record.storeName)
            }
        } catch {
            await discard(records)
            throw error
        }
        return records.map(\.path)
    }

    private func record(_ upload: UploadedFile, in room: RoomID) throws(Failure) -> FileRecord {
        guard let type = upload.type else { throw .invalid("A file of this type is not accepted.") }
        return FileRecord(
            name: Hexadecimal.encode(SecureRandom.bytes(16).span) + "." + type.suffix, folder: Folder(room).rawValue,
            room: room, displayName: Self.displayName(upload.name, type), size: Int64(upload.upload.size))
    }

    /// Forgets files noted before `moment` that no message has come to refer to, such as those of a send that a crash
    /// cut off, and returns how many there were.
    func sweep(notedBefore moment: Timestamp) async throws -> Int {
        var count = 0
        while true {
            let looked = try await store.look(notedBefore: moment, limit: Self.piece)
            if looked.count == 0 { return count }
            try await remove(looked.orphans)
            count += looked.orphans.count
        }
    }

    /// Forgets all files of a room, in pieces.
    func discard(_ room: RoomID) async throws {
        while case let records = try await store.list(room, limit: Self.piece), !records.isEmpty {
            try await remove(records)
        }
    }

    /// Forgets files that no message refers to.
    func discard(paths: [String]) async {
        let names = paths.compactMap(FileRecord.name(inPath:))
        guard let records = try? await store.find(names) else { return }
        await discard(records)
    }

    /// What cannot be forgotten now is swept later.
    private func discard(_ records: [FileRecord]) async { try? await remove(records) }

    /// The record goes last: as long as it is there the file will be found.
    private func remove(_ records: [FileRecord]) async throws {
        try await files.remove(records.map(\.storeName))
        try await store.remove(records.map(\.name))
    }

    /// A document is shown under the name that its sender gave it; a picture needs none.
    private static func displayName(_ name: String, _ type: FileType) -> String {
        if type.isImage && type != .gif { return "image" }
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "file"
        var shown = type.stem(of: last).prefix(longestName.characters)
        while shown.utf8.count > longestName.bytes { shown.removeLast() }
        return shown.isEmpty ? "file" : String(shown)
    }
}
