import ServiceSupport
import Wire

extension AccessTable {
    /// So late that nothing is sent before all tests have ended.
    private static let soon = "\(Timestamp.now + .seconds(86_400))"

    /// The native routes of rooms, for members of the room only.
    static let ofNativeRooms = ["channels/{channel_id}", "dms/{room_id}"].flatMap { room in
        let path = "/v1/workspaces/{id}/\(room)"
        return [
            AccessRow("GET \(path)/readers", .inside, key: "native"),
            AccessRow("PUT \(path)/notify", .inside, key: "native", json: #"{"level":"all"}"#),
            AccessRow("PUT \(path)/draft", .inside, key: "native", json: #"{"content":"hi"}"#),
            AccessRow("POST \(path)/scheduled", .inside, key: "native", json: #"{"content":"hi","at":"\#(soon)"}"#),
        ]
    }

    private static let settings = #"{"readReceipts":true,"presence":true,"typing":true,"keywords":[]}"#
    private static let scheduled = "/v1/users/me/scheduled"

    /// The native routes of users, for themselves.
    static let ofNativeUsers = [
        AccessRow("GET /v1/users/me/settings", .everyone, key: "native"),
        AccessRow("PUT /v1/users/me/settings", .everyone, key: "native", json: settings),
        AccessRow("GET /v1/users/me/limits", .everyone, key: "native"),
        AccessRow("GET \(scheduled)", .everyone, key: "native"),
        AccessRow("PUT \(scheduled)/{scheduled_id}", .nobody, key: "native", json: "{}"),
        AccessRow("DELETE \(scheduled)/{scheduled_id}", .nobody, key: "native"),
    ]
}

extension AccessRow.Answers {
    /// Every account.
    fileprivate static let everyone = Self("ok", "ok", "ok", "ok", "ok", "ok")
    /// Nobody, because nobody has it.
    fileprivate static let nobody = Self("E13", "E13", "E13", "E13", "E13", "E13")
}
