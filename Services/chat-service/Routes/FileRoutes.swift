import Contract
import HTTP
import ServiceKit
import Wire

/// The files of messages, for those who are in the room now.
struct FileRoutes: Sendable {
    let attachments: Attachments
    let doors: Doors

    func register(in routes: inout PublicRoutes) {
        for folder in Attachments.Folder.allCases {
            routes.signedIn(.get, "/v1/static/\(folder.rawValue)/{name}", file)
        }
    }

    /// The path's last underscore and what is behind it are never encoded, however often clients encode the rest.
    func file(_ call: Call, _ caller: Caller) async throws -> Response {
        let raw = String(decoding: try call.raw("name"), as: UTF8.self)
        guard let name = FileRecord.name(inPath: raw), let record = try await attachments.store.find([name]).first,
            try await doors.isIn(record.room, caller.user)
        else { throw Failure.notFound }
        return try await call.file(record.storeName, in: attachments.files, title: record.title)
    }
}
