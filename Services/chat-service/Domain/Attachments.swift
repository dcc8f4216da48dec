import Contract
import Crypto
import ServiceKit
import Wire

/// Stores the files of messages. The type comes from a file's first bytes, the stored name is random.
struct Attachments: Sendable {
    enum Folder: String, CaseIterable, Sendable {
        case channelChats, dmChats

        init(_ room: RoomID) { self = room.kind == .channel ? .channelChats : .dmChats }
    }

    let files: any FileStore
    let store: FileRecordStore
    let limits: StorageLimits
    /// Nil makes no previews.
    let pictures: PicturePreviews?

    /// The limits of a display name, in characters and in bytes of UTF-8.
    private static let maxName = (characters: 100, bytes: 255)
    /// Files removed in one step.
    private static let batchSize = 500

    /// Stores the uploads of a message and returns their paths in order. Throws if a name has a refused word; masked words are
    /// masked.
    func keep(
        _ uploads: [UploadedFile], in target: MessageTarget, by author: UserID, naming filter: WordFilter
    ) async throws -> [String] {
        let records = try uploads.map { try record($0, in: target.key, filter) }
        if records.isEmpty { return [] }
        do {
            // The records come first, so that a crash leaves no file without a record.
            try await store.insert(records, of: author, in: target.workspace, within: limits, at: .now)
            for (upload, record) in zip(uploads, records) {
                try await files.keep(upload.upload, as: record.storeName)
            }
            try await addPreviews(of: records, in: target.workspace)
        } catch {
            await discard(records)
            throw error
        }
        return records.map(\.path)
    }

    private func record(
        _ upload: UploadedFile, in room: RoomKey, _ filter: WordFilter
    ) throws(Failure) -> FileRecord {
        guard let type = upload.type else { throw .invalid("A file of this type is not accepted.") }
        return FileRecord(
            name: Hexadecimal.encode(SecureRandom.bytes(16).span) + "." + type.suffix, folder: Folder(room.id).rawValue,
            workspace: room.workspace, room: room.id,
            displayName: try Self.displayName(upload.name, type, filter), size: Int64(upload.upload.size))
    }

    /// Makes and stores the previews of those files that are pictures. A picture that cannot be read has none, and neither has one
    /// that arrives while too many others wait.
    private func addPreviews(of records: [FileRecord], in workspace: WorkspaceID) async throws {
        guard let pictures else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for record in records where record.isPicture {
                group.addTask {
                    guard let made = await pictures.make(of: record.storeName, in: files) else { return }
                    for size in PreviewSize.allCases {
                        try await files.keep(made.bytes(size), as: record.storeName(size))
                    }
                    try await store.setPreview(PictureRecord(made), of: record.name, in: workspace)
                }
            }
            try await group.waitForAll()
        }
    }

    /// The previews of those files that have some, in the order of the paths.
    func previews(of paths: [String], in workspace: WorkspaceID) async throws -> [FilePreview] {
        let names = paths.filter(FileRecord.isPicture(path:)).compactMap(FileRecord.name(inPath:))
        if names.isEmpty { return [] }
        let found = try await store.previews(names, in: workspace)
        return paths.compactMap { path in FileRecord.name(inPath: path).flatMap { found[$0] }?.view(path) }
    }

    /// Returns the record of the file that a path names; nil if there is none.
    ///
    /// The unique name after the last underscore is never percent-encoded, however often a client encodes the rest.
    func record(atPath path: String) async throws -> FileRecord? {
        guard let name = FileRecord.name(inPath: path) else { return nil }
        return try await store.find([name]).first
    }

    /// The records of the files that paths name; paths without a file are missing.
    func records(atPaths paths: [String]) async throws -> [String: FileRecord] {
        let names = paths.compactMap { path in FileRecord.name(inPath: path).map { (path, $0) } }
        let found = try await store.find(Array(Set(names.map(\.1))))
        let records = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
        return Dictionary(names.compactMap { path, name in records[name].map { (path, $0) } }) { first, _ in first }
    }

    /// Removes files that were recorded before `moment` and belong to no message, such as those of a send that ended in
    /// a crash. Returns the number of removed files.
    func sweep(notedBefore moment: Timestamp) async throws -> Int {
        var count = 0
        try await store.eachWorkspace(withUnsentFilesBefore: moment) { workspace in
            while case let found = try await store.findOrphans(
                of: workspace, notedBefore: moment, limit: Self.batchSize), found.checked > 0
            {
                try await remove(found.orphans)
                count += found.orphans.count
            }
        }
        return count
    }

    /// Removes all files of a room, in batches.
    func discard(_ room: RoomKey) async throws {
        while case let records = try await store.list(room, limit: Self.batchSize), !records.isEmpty {
            try await remove(records)
        }
    }

    /// Removes files that belong to no message.
    ///
    /// - Parameter workspace: that of all of them; nil if it is not known.
    func discard(paths: [String], in workspace: WorkspaceID?) async {
        let names = paths.compactMap(FileRecord.name(inPath:))
        let records =
            if let workspace {
                try? await store.find(names, in: workspace)
            } else {
                try? await store.find(names)
            }
        if let records { await discard(records) }
    }

    /// The sweep removes files later that cannot be removed now.
    private func discard(_ records: [FileRecord]) async { try? await remove(records) }

    /// The records go last, so that a failure leaves every remaining file with its record. Files that a report holds lose their
    /// records and previews, and are removed with the report.
    private func remove(_ records: [FileRecord]) async throws {
        for (workspace, records) in Dictionary(grouping: records, by: \.workspace) {
            try await remove(records, in: workspace)
        }
    }

    private func remove(_ records: [FileRecord], in workspace: WorkspaceID) async throws {
        let held = try await store.beginRemoval(of: records.map(\.name), in: workspace)
        let previews = records.filter(\.isPicture).flatMap { record in
            PreviewSize.allCases.map { record.storeName($0) }
        }
        try await files.remove(records.filter { !held.contains($0.name) }.map(\.storeName) + previews)
        try await store.remove(records.map(\.name), in: workspace)
    }

    /// The name that clients show: a document keeps its sender's name, an image needs none. Some clients percent-encode
    /// names, so the name is decoded first.
    private static func displayName(_ name: String, _ type: FileType, _ filter: WordFilter) throws(Failure) -> String {
        if type.isImage && type != .gif { return "image" }
        let last = decoded(name).split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "file"
        let shown = shortened(type.stem(of: last), keeping: type.fittingEnding(of: type.stem(of: last)))
        return shown.isEmpty ? "file" : try filter.apply(to: shown)
    }

    /// The name within the limits. Its ending stays: without it a long name of a spreadsheet would be that of an archive.
    private static func shortened(_ name: String, keeping ending: String) -> String {
        var rest = name.dropLast(ending.count).prefix(maxName.characters - ending.count)
        while rest.utf8.count + ending.utf8.count > maxName.bytes { rest.removeLast() }
        return rest + ending
    }

    /// The percent-decoded name, or the name itself if it is not encoded or would contain control characters.
    private static func decoded(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "%")), let decoded = PercentEncoding.decode(name),
            !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return name }
        return decoded
    }
}
