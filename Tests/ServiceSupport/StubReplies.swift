public import HTTP

extension Response {
    /// JSON that was put together as text.
    public static func json(_ text: String) -> Response { .json(Array(text.utf8)) }

    /// An object with a list of `elements`, each of them JSON, under `name`.
    public static func list(_ name: String, _ elements: [String]) -> Response {
        .json(#"{"\#(name)":[\#(elements.joined(separator: ","))]}"#)
    }

    /// A refusal with its code.
    public static func refusal(_ status: UInt16, _ code: String) -> Response {
        .json(Array(#"{"errorCode":"\#(code)"}"#.utf8), Status(status))
    }

    /// What workspace-service tells somebody of the channels they see, as `StubJSON.channel`, and of their workspaces.
    public static func access(channels: [String], workspaces: [Int64]) -> Response {
        let theirs = workspaces.map { #"{"workspace_id":"\#($0)","role":"member","version":1}"# }
        return .json(
            #"{"channels":[\#(channels.joined(separator: ","))],"workspaces":[\#(theirs.joined(separator: ","))]}"#)
    }
}

/// What several replies of the internal APIs are made of.
public enum StubJSON {
    /// An account, with the email that everybody has in tests.
    public static func profile(_ id: Int64, nickname: String, version: Int = 1) -> String {
        #"{"user_id":"\#(id)","email":"\#(id)@example.com","nickname":"\#(nickname)","version":\#(version)}"#
    }

    /// A channel, to a member of it or to one who only sees it.
    public static func channel(_ id: Int64, _ name: String, in workspace: Int64, isMember: Bool) -> String {
        let role = isMember ? "member" : "visible"
        return
            #"{"channel_id":"\#(id)","workspace_id":"\#(workspace)","name":"\#(name)","role":"\#(role)","default":false,"version":1}"#
    }
}
