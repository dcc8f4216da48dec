import ServiceSupport
import Wire

extension AccessTable {
    /// The native routes of rooms, for members of the room only.
    static let ofNativeRooms = ["channels/{channel_id}", "dms/{room_id}"].flatMap { room in
        let path = "/v1/workspaces/{id}/\(room)"
        return [
            AccessRow("GET \(path)/readers", .inside, key: "native"),
            AccessRow("PUT \(path)/notify", .inside, key: "native", json: #"{"level":"all"}"#),
            AccessRow("PUT \(path)/draft", .inside, key: "native", json: #"{"content":"hi"}"#),
        ]
    }

    private static let settings = #"{"readReceipts":true,"presence":true,"typing":true,"keywords":[]}"#

    /// The native routes of users, for themselves.
    static let ofNativeUsers = [
        AccessRow("GET /v1/users/me/settings", .everyone, key: "native"),
        AccessRow("PUT /v1/users/me/settings", .everyone, key: "native", json: settings),
    ]
}

extension AccessRow.Answers {
    /// Every account.
    fileprivate static let everyone = Self("ok", "ok", "ok", "ok", "ok", "ok")
}
