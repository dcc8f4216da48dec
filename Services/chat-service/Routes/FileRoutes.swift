import Contract
import HTTP
import ServiceKit
import Wire

/// The files of messages, for current members of the room.
struct FileRoutes: Sendable {
    let attachments: Attachments
    let access: RoomAccess

    func register(in routes: inout PublicRoutes) {
        for folder in Attachments.Folder.allCases {
            routes.signedIn(.get, "/v1/static/\(folder.rawValue)/{name}", file)
        }
    }

    func file(_ call: Call, _ caller: Caller) async throws -> Response {
        let path = String(decoding: try call.raw("name"), as: UTF8.self)
        guard let record = try await attachments.record(atPath: path),
            try await access.isMember(caller.user, of: record.room)
        else { throw Failure.notFound }
        return try await call.file(record.storeName, in: attachments.files, title: record.title)
    }
}
