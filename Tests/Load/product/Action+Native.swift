import LoadClient
import Wire

extension Action {
    /// The changes of the default channel, as an app asks for them after a pause.
    static func changes(of person: Population.Person) -> Action {
        let request = LoadConnection.request(
            "GET", chat(person, person.channels[0]) + "/changes?after_rev=0&limit=100",
            headers: [("SesacKey", "native"), ("Authorization", person.nativeToken)])
        return Action(calls: [Call(name: "changes", request: request)])
    }

    /// Actions of the native API in the default channel, where each member has a message: reactions most of all, then edits,
    /// deletions, pins, replies, mentions, read markers, levels, drafts, scheduled messages and resumptions.
    static func native(_ person: Population.Person, _ number: Int) -> Action {
        let (room, workspace) = (chat(person, person.channels[0]), "/v1/workspaces/\(person.workspace)")
        let other = Int.random(in: 1...Population.size)
        let name = "@사람 \(person.names + other)"
        func request(_ method: String, _ path: String, _ body: String = "{}") -> [UInt8] {
            let headers = [("SesacKey", "native"), ("Authorization", person.nativeToken)]
            return LoadConnection.request(method, path, headers: headers, body: method == "GET" ? "" : body)
        }
        func call(_ name: String, _ method: String, _ path: String, _ body: String = "{}") -> Call {
            Call(name: name, request: request(method, room + path, body))
        }
        let one: Call
        switch number / 20 % 16 {
        case 0, 1, 2, 3: one = call("react", "PUT", "/chats/\(other)/reactions/%F0%9F%91%8D")
        case 4: one = call("react", "DELETE", "/chats/\(other)/reactions/%F0%9F%91%8D")
        case 5: one = call("edit", "PUT", "/chats/\(person.seq)", #"{"content":"\#(number)번째로 고친 인사"}"#)
        case 6: one = call("reply", "POST", "/chats", #"{"content":"\#(number)번째 답글","thread":\#(other)}"#)
        case 7:
            let at = Timestamp.now + .seconds(3)
            one = call("schedule", "POST", "/scheduled", #"{"content":"\#(number)번째 예약","at":"\#(at)"}"#)
        case 8: one = call("draft", "PUT", "/draft", #"{"content":"\#(number)번째 초안"}"#)
        case 9:
            let deletion = Call(name: "delete") { sent in
                let seq = (try? JSONValue(parsing: sent))?["seq"]?.int ?? 0
                return request("DELETE", "\(room)/chats/\(seq)")
            }
            return Action(calls: [call("mention", "POST", "/chats", #"{"content":"\#(name)님, 잘못 보냈어요"}"#), deletion])
        case 10: one = call("pin", number / 320 % 2 == 0 ? "PUT" : "DELETE", "/chats/\(person.seq)/pin")
        case 11: one = call("mention", "POST", "/chats", #"{"content":"\#(name)야, \#(number)번째 질문"}"#)
        case 12:
            return Action(calls: [
                call("read", "PUT", "/read", #"{"seq":\#(other)}"#), call("readers", "GET", "/readers"),
            ])
        case 13: one = call("notify", "PUT", "/notify", #"{"level":"\#(number / 320 % 2 == 0 ? "mentions" : "all")"}"#)
        case 14: one = call("changes", "GET", "/changes?after_rev=\(other)&limit=100")
        default:
            let threads = Call(name: "threads", request: request("GET", workspace + "/threads"))
            return Action(calls: [threads, call("thread", "GET", "/chats/\(other)/thread")])
        }
        return Action(calls: [one])
    }
}
