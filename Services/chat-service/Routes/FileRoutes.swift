import Contract
import HTTP
import ServiceKit
import Wire

/// The files of messages, for current members of the room, and for moderators that answer reports of the messages.
struct FileRoutes: Sendable {
    let attachments: Attachments
    let access: RoomAccess
    let reports: Reports
    let links: FileLinks

    func register(in routes: inout PublicRoutes) {
        for folder in Attachments.Folder.allCases {
            routes.files(of: folder.rawValue, links, readable: readable, file)
        }
    }

    private func readable(_ paths: [String], _ caller: Caller) async throws -> Set<String> {
        let records = try await attachments.records(atPaths: paths)
        var rooms: [RoomID: Bool] = [:]
        for room in Set(records.values.map(\.room)) {
            rooms[room] = try await access.isMember(caller.user, of: room)
        }
        var readable = Set(paths.filter { path in records[path].map { rooms[$0.room] == true } ?? false })
        for path in paths where !readable.contains(path) {
            guard let name = FileRecord.name(inPath: path) else { continue }
            if try await reports.file(name, for: caller.user) != nil { readable.insert(path) }
        }
        return readable
    }

    /// A picture's preview has the picture's rights. A file without previews is sent as it is.
    func file(_ call: Call, _ caller: Caller) async throws -> Response {
        let path = String(decoding: try call.raw("name"), as: UTF8.self)
        guard let record = try await record(atPath: path, for: caller.user) else { throw Failure.notFound }
        return try await call.picture(
            record.storeName, in: attachments.files, title: record.title, hasPreviews: record.isPicture)
    }

    private func record(atPath path: String, for user: UserID) async throws -> FileRecord? {
        if let record = try await attachments.record(atPath: path), try await access.isMember(user, of: record.room) {
            return record
        }
        guard let name = FileRecord.name(inPath: path) else { return nil }
        return try await reports.file(name, for: user)
    }
}
