import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Bad input", .serialized)
struct BadInputTests {
    private static let channel = "/v1/workspaces/3/channels/7"
    private static let dm = "/v1/workspaces/3/dms/1"

    /// The contents of the tables, the file store and the peers.
    private static func everything(_ chat: ChatHarness) async throws -> String {
        let rows = try await chat.database.ask(
            """
            select (select json_agg(m) from chat.message m), (select json_agg(r) from chat.room r),
                (select json_agg(p) from chat.read_position p), (select json_agg(d) from chat.dm d),
                (select count(*) from chat.file), (select max(id) from chat.outbox)
            """)
        let members = chat.peers.now.channels.mapValues { $0.members.sorted() }.sorted { $0.key < $1.key }
        return "\(rows) \(members) \(chat.storedFiles)"
    }

    /// Opens a DM, sends a message to both rooms, and checks that `body` changes nothing.
    private static func unchanged(
        _ settings: [String: String] = [:], _ body: (ChatHarness) async throws -> Void
    ) async throws {
        try await ChatHarness.use(settings) { chat in
            _ = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            for path in [channel, dm] {
                let sent = try await chat.call("POST", path + "/chats", json: #"{"content":"good"}"#)
                #expect(sent.status == 201)
            }
            let before = try await everything(chat)
            try await body(chat)
            try await eventually("the cleanup") { try await everything(chat) == before }
        }
    }

    @Test("An invalid send is E11 in every room and for every client, and writes nothing")
    func sends() async throws {
        try await Self.unchanged { chat in
            let long = String(repeating: "가", count: 10_001)
            let bodies = [
                "", "{", "[]", "7", "null", "{}", #"{"content":""}"#, #"{"content":null}"#, #"{"content":7}"#,
                #"{"content":["a"]}"#, #"{"content":{"a":1}}"#, #"{"content":"a\u0000b"}"#, #"{"content":"\#(long)"}"#,
                #"{"content":"a","client_id":""}"#, #"{"content":"a","client_id":7}"#,
                #"{"content":"a","client_id":"\#(String(repeating: "x", count: 65))"}"#,
                #"{"content":"a"} {"content":"b"}"#,
            ]
            for path in [Self.channel, Self.dm] {
                for key in ["native", "collatalk"] {
                    for body in bodies {
                        let reply = try await chat.call("POST", path + "/chats", key: key, json: body)
                        #expect(reply.errorCode == "E11", "\(path) \(key) \(body.prefix(60)): \(reply.text)")
                        #expect(key == "native" || reply.status == 400)
                    }
                }
            }
        }
    }

    @Test("Malformed forms, unknown file types, too many files and too large files are E11 and leave nothing behind")
    func forms() async throws {
        try await Self.unchanged(["file_size": "4096"]) { chat in
            let type = "multipart/form-data; boundary=\(Upload.boundary)"
            let field = "Content-Disposition: form-data; name=\"content\"\r\n\r\n"
            let open = "--\(Upload.boundary)\r\n"
            let close = "\r\n--\(Upload.boundary)--\r\n"
            let forms: [(type: String, body: [UInt8])] = [
                (type, []), (type, Array("nothing".utf8)), (type, Array("\(open)\(field)unended".utf8)),
                ("multipart/form-data", Upload.form([.png], [])),
                (type, Array("\(open)no header\r\n\r\nx\(close)".utf8)),
                (type, Array("\(open)\(field)".utf8) + [0xFF, 0xFE] + Array(close.utf8)),
                (type, Upload.form([.program], [("content", "run me")])),
                (type, Upload.form([.png, .program], [])), (type, Upload.form(Array(repeating: .png, count: 6), [])),
                (type, Upload.form([Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 4097))], [])),
                (type, Upload.form([.png], [("content", String(repeating: "a", count: 10_001))])),
                (type, Upload.form([.png], [("client_id", String(repeating: "a", count: 65))])),
                (type, Upload.form([], [("content", "")])),
                ("application/x-www-form-urlencoded", Array("content=%FF".utf8)),
            ]
            for path in [Self.channel, Self.dm] {
                for (place, form) in forms.enumerated() {
                    for key in ["native", "collabee"] {
                        let reply = try await chat.call(
                            "POST", path + "/chats", key: key, headers: [("Content-Type", form.type)], body: form.body)
                        #expect(reply.errorCode == "E11", "\(path) form \(place): \(reply.text)")
                        #expect(key == "native" || reply.status == 400)
                    }
                }
            }
        }
    }

    @Test("A12: the fields of a form together have the limit of a body without files")
    func longFields() async throws {
        try await Self.unchanged { chat in
            let long = String(repeating: "a", count: SendRequest.maxText / 2)
            let reply = try await chat.call(
                "POST", Self.channel + "/chats",
                headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], [("content", "good"), ("first", long), ("second", long)]))
            #expect(reply.errorCode == "E11")
            #expect(reply.status == 413)
        }
    }

    @Test("Invalid queries are E11; they do not join a channel, open a DM or move a read marker")
    func queries() async throws {
        try await Self.unchanged { chat in
            let history = [
                "limit=0", "limit=501", "limit=x", "limit=-1", "after_seq=-1", "after_seq=x", "before_seq=0",
                "before_seq=1.5", "after_seq=99999999999999999999", "cursor_date=yesterday",
                "cursor_date=2024-13-01T00:00:00.000Z",
                "cursor_date=2024-07-01%2000:00:00", "cursor_date=%FF",
            ]
            let unreads = ["after=x", "after=2024-07-01", "after=%00"]
            for (query, room) in history.flatMap({ query in
                ["/v1/workspaces/3/channels/8", Self.dm].map { (query, $0) }
            }) {
                let reply = try await chat.call("GET", "\(room)/chats?\(query)", user: 2)
                #expect(reply.errorCode == "E11", "\(room) \(query): \(reply.text)")
            }
            for (query, room) in unreads.flatMap({ query in [Self.channel, Self.dm].map { (query, $0) } }) {
                let reply = try await chat.call("GET", "\(room)/unreads?\(query)", user: 2)
                #expect(reply.errorCode == "E11", "\(room) \(query): \(reply.text)")
            }
            let byOpponent = try await chat.call(
                "GET", "/v1/workspaces/3/dms/4/chats?cursor_date=never", user: 2, key: "sooda")
            #expect(byOpponent.errorCode == "E11")
        }
    }

    @Test("Impossible read markers and opponents are E11")
    func numbers() async throws {
        try await Self.unchanged { chat in
            let bad = ["", "{}", "[]", "null", #""x""#, "1.5", "-1", "99999999999999999999", "true", "[1]", "{"]
            for value in bad {
                let body = ["", "{", "{}", "[]"].contains(value) ? value : #"{"seq":\#(value)}"#
                for room in [Self.channel, Self.dm] {
                    let reply = try await chat.call("PUT", room + "/read", user: 2, json: body)
                    #expect(reply.errorCode == "E11", "\(room) \(body): \(reply.text)")
                }
                let opponent = body.replacing("seq", with: "opponent_id")
                let reply = try await chat.call("POST", "/v1/workspaces/3/dms", user: 2, json: opponent)
                #expect(reply.errorCode == "E11", "\(opponent): \(reply.text)")
            }
            let oneself = try await chat.call("POST", "/v1/workspaces/3/dms", user: 2, json: #"{"opponent_id":2}"#)
            #expect(oneself.errorCode == "E11")
        }
    }

    @Test(
        "An impossible id is E13", arguments: ["0", "-1", "x", "99999999999999999999", "7x", "%37%00", "%FF"])
    func ids(_ id: String) async throws {
        try await Self.unchanged { chat in
            for (method, path) in [
                ("GET", "/v1/workspaces/\(id)/channels/7/chats"), ("GET", "/v1/workspaces/3/channels/\(id)/chats"),
                ("POST", "/v1/workspaces/3/channels/\(id)/chats"), ("GET", "/v1/workspaces/3/channels/\(id)/unreads"),
                ("PUT", "/v1/workspaces/3/channels/\(id)/read"), ("GET", "/v1/workspaces/\(id)/rooms"),
                ("GET", "/v1/workspaces/\(id)/dms"), ("POST", "/v1/workspaces/3/dms/\(id)/chats"),
                ("GET", "/v1/workspaces/3/dms/\(id)/chats"), ("GET", "/v1/workspaces/3/dms/\(id)/unreads"),
                ("PUT", "/v1/workspaces/3/dms/\(id)/read"), ("GET", "/v1/static/channelChats/\(id)"),
                ("GET", "/v1/static/dmChats/image_\(id)"),
            ] {
                let reply = try await chat.call(
                    method, path, json: method == "POST" ? #"{"content":"a"}"# : #"{"seq":0}"#)
                #expect(reply.errorCode == "E13", "\(method) \(path): \(reply.text)")
            }
        }
    }
}
