import LoadClient
import Wire

/// What somebody does: calls one after the other.
struct Action {
    /// A call; `name` is what its figures go by.
    struct Call {
        let name: String
        let request: [UInt8]
    }

    let calls: [Call]

    /// What people do, and how often of a hundred times: they mostly read and write, and now and then open the app.
    static func any(of person: Town.Person, _ number: Int) -> Action {
        let channel = person.channels[Int.random(in: person.channels.indices)]
        return switch number % 10 {
        case 0: home(of: person)
        case 1, 2, 3: Action(calls: [send(by: person, to: channel, number)])
        case 4, 5: Action(calls: [unreads(of: person, in: channel)])
        default: Action(calls: [history(of: person, in: channel)])
        }
    }

    /// The app's first screen: who I am, where I am, and what I have not read, room by room.
    static func home(of person: Town.Person) -> Action {
        let workspace = "/v1/workspaces/\(person.workspace)"
        return Action(
            calls: [
                get("profile", "/v1/users/me", person), get("workspaces", "/v1/workspaces", person),
                get("channels", workspace + "/my-channels", person), get("rooms", workspace + "/dms", person),
            ] + person.channels.map { unreads(of: person, in: $0) })
    }

    private static func unreads(of person: Town.Person, in channel: Int) -> Call {
        get("unreads", chat(person, channel) + "/unreads?after=\(moment(secondsAgo: 60))", person)
    }

    /// What is new since the app last looked.
    private static func history(of person: Town.Person, in channel: Int) -> Call {
        get("history", chat(person, channel) + "/chats?cursor_date=\(moment(secondsAgo: 10))", person)
    }

    private static func send(by person: Town.Person, to channel: Int, _ number: Int) -> Call {
        Call(
            name: "send",
            request: LoadConnection.request(
                "POST", chat(person, channel) + "/chats", headers: headers(person),
                body: #"{"content":"\#(number)번째 메시지: 오늘 회의는 세 시로 옮겼어요."}"#))
    }

    private static func get(_ name: String, _ target: String, _ person: Town.Person) -> Call {
        Call(name: name, request: LoadConnection.request("GET", target, headers: headers(person)))
    }

    private static func chat(_ person: Town.Person, _ channel: Int) -> String {
        "/v1/workspaces/\(person.workspace)/channels/\(channel)"
    }

    private static func headers(_ person: Town.Person) -> [(String, String)] {
        [("SesacKey", "gen-2024-07"), ("Authorization", person.accessToken)]
    }

    private static func moment(secondsAgo: Int) -> String { (Timestamp.now - .seconds(secondsAgo)).description }
}
