import Contract
import HTTP
import ServiceKit
import Wire

/// The limits of messages and files, for clients that tell their users before a call meets them.
struct LimitRoutes: Sendable {
    let attachments: Attachments
    /// Bytes of one file.
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        routes.native(.get, "/v1/users/me/limits", show)
    }

    private func show(_ call: Call, _ caller: Caller) async throws -> Response {
        let used = try await attachments.store.bytes(of: caller.user)
        return call.reply(
            LimitsView(fileSize: fileSize, storage: attachments.limits.ofUser, usedStorage: used))
    }
}

/// The limits as a client sees them. Sizes are in bytes.
struct LimitsView: View {
    let fileSize: Int
    let storage, usedStorage: Int64

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.object("message") { json in json.field("characters", SendRequest.maxContent) }
            json.object("files") { json in
                json.field("count", SendRequest.maxFiles)
                json.field("bytes", fileSize)
                json.field("types", FileType.all.map(\.suffix))
            }
            json.object("storage") { json in
                json.field("bytes", storage)
                json.field("used", usedStorage)
            }
        }
    }
}
