public import HTTP

extension Response {
    /// A reply with JSON text.
    public static func json(_ text: String) -> Response { .json(Array(text.utf8)) }

    /// An object with a member `name`: a list of `elements`, each of them JSON.
    public static func list(_ name: String, _ elements: [String]) -> Response {
        .json(#"{"\#(name)":[\#(elements.joined(separator: ","))]}"#)
    }

    /// A refusal with an error code.
    public static func refusal(_ status: UInt16, _ code: String) -> Response {
        .json(Array(#"{"errorCode":"\#(code)"}"#.utf8), Status(status))
    }

    /// Workspace-service's reply about a user's channels, each of them a `StubJSON.channel`, and workspaces.
    public static func access(
        channels: [String], workspaces: [Int64], memberRole: String = "member"
    ) -> Response {
        let isModerator = memberRole == "admin" || memberRole == "owner"
        let theirs = workspaces.map { id in
            """
            {"workspace_id":"\(id)","role":"\(memberRole == "owner" ? "owner" : "member")","version":1,\
            "member_role":"\(memberRole)","moderator":\(isModerator)}
            """
        }
        return .json(
            #"{"channels":[\#(channels.joined(separator: ","))],"workspaces":[\#(theirs.joined(separator: ","))]}"#)
    }
}

/// JSON that several replies of the internal APIs contain.
public enum StubJSON {
    /// An account with the email of its id.
    public static func profile(_ id: Int64, nickname: String, image: String? = nil, version: Int = 1) -> String {
        let image = image.map { #","profileImage":"\#($0)""# } ?? ""
        return
            #"{"user_id":"\#(id)","email":"\#(id)@example.com","nickname":"\#(nickname)"\#(image),"version":\#(version)}"#
    }

    /// A channel for a member, or for a user that only sees it.
    public static func channel(
        _ id: Int64, _ name: String, in workspace: Int64, isMember: Bool, joinedAt: Int64? = nil, version: Int = 1
    ) -> String {
        let role = isMember ? "member" : "visible"
        let joined = joinedAt.map { #","joined_at":\#($0)"# } ?? ""
        return
            #"{"channel_id":"\#(id)","workspace_id":"\#(workspace)","name":"\#(name)","role":"\#(role)","default":false,"version":\#(version)\#(joined)}"#
    }
}
