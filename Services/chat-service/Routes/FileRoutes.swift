import Contract
import HTTP
import ServiceKit
import Wire

/// The files of messages, for current members of the room.
struct FileRoutes: Sendable {
    let attachments: Attachments
    let access: RoomAccess
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
        return Set(paths.filter { path in records[path].map { rooms[$0.room] == true } ?? false })
    }

    /// A picture's preview has the picture's rights. A file without previews is sent as it is.
    func file(_ call: Call, _ caller: Caller) async throws -> Response {
        let path = String(decoding: try call.raw("name"), as: UTF8.self)
        guard let record = try await attachments.record(atPath: path),
            try await access.isMember(caller.user, of: record.room)
        else { throw Failure.notFound }
        return try await call.picture(
            record.storeName, in: attachments.files, title: record.title, hasPreviews: record.isPicture)
    }
}
