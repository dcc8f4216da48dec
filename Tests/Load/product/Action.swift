import LoadClient
import Wire

/// A user's action: one or more consecutive calls.
struct Action {
    /// A call. Results are grouped by `name`.
    struct Call {
        let name: String
        let request: [UInt8]
    }

    let calls: [Call]

    /// A mix of actions, selected by `number`: mostly reading and writing, sometimes opening the app, and a quarter of changes:
    /// reactions, edits, replies, drafts and scheduled messages.
    static func any(of person: Population.Person, _ number: Int) -> Action {
        let channel = person.channels[Int.random(in: person.channels.indices)]
        return switch number % 20 {
        case 0, 1: home(of: person)
        case 2, 3, 4, 5, 6: Action(calls: [send(by: person, to: channel, number)])
        case 7, 8, 9: Action(calls: [unreads(of: person, in: channel)])
        case 10, 11, 12, 13, 14: Action(calls: [change(by: person, number)])
        default: Action(calls: [history(of: person, in: channel)])
        }
    }

    /// A call of the native API in the default channel, where each member has a message.
    private static func change(by person: Population.Person, _ number: Int) -> Call {
        let room = chat(person, person.channels[0])
        let other = Int.random(in: 1...Population.size)
        func call(_ name: String, _ method: String, _ path: String, _ body: String = "{}") -> Call {
            let headers = [("SesacKey", "native"), ("Authorization", person.nativeToken)]
            return Call(
                name: name, request: LoadConnection.request(method, room + path, headers: headers, body: body))
        }
        switch number / 20 % 8 {
        case 0, 1, 2: return call("react", "PUT", "/chats/\(other)/reactions/%F0%9F%91%8D")
        case 3: return call("react", "DELETE", "/chats/\(other)/reactions/%F0%9F%91%8D")
        case 4: return call("edit", "PUT", "/chats/\(person.seq)", #"{"content":"\#(number)번째로 고친 인사"}"#)
        case 5: return call("reply", "POST", "/chats", #"{"content":"\#(number)번째 답글","thread":\#(other)}"#)
        case 6:
            let at = Timestamp.now + .seconds(3)
            return call("schedule", "POST", "/scheduled", #"{"content":"\#(number)번째 예약","at":"\#(at)"}"#)
        default: return call("draft", "PUT", "/draft", #"{"content":"\#(number)번째 초안"}"#)
        }
    }

    /// The app's home screen: the profile, the workspaces and rooms, and the unread count of each channel.
    static func home(of person: Population.Person) -> Action {
        let workspace = "/v1/workspaces/\(person.workspace)"
        return Action(
            calls: [
                get("profile", "/v1/users/me", person), get("workspaces", "/v1/workspaces", person),
                get("channels", workspace + "/my-channels", person), get("rooms", workspace + "/dms", person),
            ] + person.channels.map { unreads(of: person, in: $0) })
    }

    private static func unreads(of person: Population.Person, in channel: Int) -> Call {
        get("unreads", chat(person, channel) + "/unreads?after=\(moment(secondsAgo: 60))", person)
    }

    /// The messages since the app's last call.
    private static func history(of person: Population.Person, in channel: Int) -> Call {
        get("history", chat(person, channel) + "/chats?cursor_date=\(moment(secondsAgo: 10))", person)
    }

    private static func send(by person: Population.Person, to channel: Int, _ number: Int) -> Call {
        Call(
            name: "send",
            request: LoadConnection.request(
                "POST", chat(person, channel) + "/chats", headers: headers(person),
                body: #"{"content":"\#(number)번째 메시지: 오늘 회의는 세 시로 옮겼어요."}"#))
    }

    private static func get(_ name: String, _ target: String, _ person: Population.Person) -> Call {
        Call(name: name, request: LoadConnection.request("GET", target, headers: headers(person)))
    }

    private static func chat(_ person: Population.Person, _ channel: Int) -> String {
        "/v1/workspaces/\(person.workspace)/channels/\(channel)"
    }

    private static func headers(_ person: Population.Person) -> [(String, String)] {
        [("SesacKey", "gen-2024-07"), ("Authorization", person.accessToken)]
    }

    private static func moment(secondsAgo: Int) -> String { (Timestamp.now - .seconds(secondsAgo)).description }
}
