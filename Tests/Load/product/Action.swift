import LoadClient
import Wire

/// A user's action: one or more consecutive calls.
struct Action {
    /// A call. Results are grouped by `name`.
    struct Call {
        let name: String
        /// Makes the request, which may depend on the body of the previous reply.
        let request: (_ previous: [UInt8]) -> [UInt8]

        init(name: String, request: [UInt8]) {
            self.init(name: name) { _ in request }
        }

        init(name: String, after request: @escaping (_ previous: [UInt8]) -> [UInt8]) {
            self.name = name
            self.request = request
        }
    }

    let calls: [Call]

    /// A mix of actions, selected by `number`: mostly reading and writing, sometimes opening the app, and a quarter of the
    /// native API.
    static func any(of person: Population.Person, _ number: Int) -> Action {
        let channel = person.channels[Int.random(in: person.channels.indices)]
        return switch number % 20 {
        case 0, 1: home(of: person)
        case 2, 3, 4, 5, 6: Action(calls: [send(by: person, to: channel, number)])
        case 7, 8, 9: Action(calls: [unreads(of: person, in: channel)])
        case 10, 11, 12, 13, 14: native(person, number)
        default: Action(calls: [history(of: person, in: channel)])
        }
    }

    /// A call that reads: the news of a channel, its unread count, the changes of a room, or the rooms.
    static func read(by person: Population.Person, _ number: Int) -> Action {
        let channel = person.channels[number / 4 % person.channels.count]
        return switch number % 4 {
        case 0: Action(calls: [history(of: person, in: channel)])
        case 1: Action(calls: [unreads(of: person, in: channel)])
        case 2: changes(of: person)
        default: Action(calls: [get("channels", "/v1/workspaces/\(person.workspace)/my-channels", person)])
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

    static func chat(_ person: Population.Person, _ channel: Int) -> String {
        "/v1/workspaces/\(person.workspace)/channels/\(channel)"
    }

    private static func headers(_ person: Population.Person) -> [(String, String)] {
        [("SesacKey", "gen-2024-07"), ("Authorization", person.accessToken)]
    }

    private static func moment(secondsAgo: Int) -> String { (Timestamp.now - .seconds(secondsAgo)).description }
}
