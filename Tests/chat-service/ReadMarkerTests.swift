import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Read markers", .serialized)
struct ReadMarkerTests {
    /// A specification of rooms and read markers.
    private struct Model {
        var authors: [Int64: [Int64]] = [7: [], 8: []]
        var markers: [Int64: [Int64: Int]] = [7: [:], 8: [:]]
        var deleted: [Int64: Set<Int>] = [7: [], 8: []]

        mutating func advance(_ user: Int64, _ room: Int64, _ seq: Int) {
            let most = min(seq, authors[room]?.count ?? 0)
            let reached = max(most, marker(user, room))
            markers[room]?[user] = reached
        }

        mutating func send(_ user: Int64, _ room: Int64) {
            authors[room]?.append(user)
            advance(user, room, .max)
        }

        func marker(_ user: Int64, _ room: Int64) -> Int { markers[room]?[user] ?? 0 }

        func unread(_ user: Int64, _ room: Int64, after: Int? = nil) -> Int {
            (authors[room] ?? []).enumerated().dropFirst(after ?? marker(user, room))
                .count { $0.element != user && deleted[room]?.contains($0.offset + 1) != true }
        }
    }

    @Test(
        "Unread counts are the messages by others after the read marker without deleted ones, and a read marker never moves backwards"
    )
    func model() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2, 3, 4] }
            var model = Model()
            var dates: [Int64: [String]] = [7: [], 8: []]
            for step in 0..<250 {
                let (user, room) = (Int64.random(in: 1...3), Int64.random(in: 7...8))
                let count = model.authors[room]?.count ?? 0
                switch Int.random(in: 0..<9) {
                case 0, 1, 2:
                    let reply = try await chat.send("\(step)", user: user, to: room)
                    dates[room]?.append(try reply.json["createdAt"]?.string ?? "")
                    model.send(user, room)
                case 3:
                    _ = try await chat.history(user: user, of: "\(room)")
                    model.advance(user, room, .max)
                case 4:
                    let seq = Int.random(in: 0...(count + 3))
                    let reply = try await chat.call(
                        "PUT", "/v1/workspaces/3/channels/\(room)/read", user: user, json: #"{"seq":\#(seq)}"#)
                    model.advance(user, room, seq)
                    let marker = try reply.json["seq"]?.int
                    #expect(marker == model.marker(user, room), "step \(step)")
                case 5 where count > 0:
                    let seq = Int.random(in: 1...count)
                    let date = dates[room]?[seq - 1] ?? ""
                    let found = try await chat.unread("?after=\(date)", user: user, of: "\(room)")
                    #expect(found == model.unread(user, room, after: seq), "step \(step) after \(date)")
                case 6 where count > 0:
                    // Edits and reactions change no count.
                    let seq = Int.random(in: 1...count)
                    let chats = "/v1/workspaces/3/channels/\(room)/chats/\(seq)"
                    _ = try await chat.call("PUT", chats, user: user, json: #"{"content":"edited"}"#)
                    _ = try await chat.call("PUT", chats + "/reactions/%F0%9F%91%8D", user: user)
                case 7 where count > 0:
                    let seq = Int.random(in: 1...count)
                    let author = model.authors[room]?[seq - 1] ?? 0
                    let reply = try await chat.call(
                        "DELETE", "/v1/workspaces/3/channels/\(room)/chats/\(seq)", user: author)
                    let isFirst = model.deleted[room]?.insert(seq).inserted == true
                    #expect(reply.status == (isFirst ? 200 : 404), "step \(step): \(reply.text)")
                default:
                    let from = Int.random(in: 0...(count + 1))
                    _ = try await chat.history("?after_seq=\(from)&limit=2", user: user, of: "\(room)")
                    model.advance(user, room, min(from, count) + 2)
                }
                let found = try await chat.unread(user: user, of: "\(room)")
                #expect(found == model.unread(user, room), "step \(step)")
            }
            for user in 1...3 as ClosedRange<Int64> {
                let rooms = try await chat.call("GET", "/v1/workspaces/3/rooms", user: user).json.elements
                let counts = rooms?.compactMap { $0["unreadCount"]?.int } ?? []
                #expect(counts.reduce(0, +) == model.unread(user, 7) + model.unread(user, 8))
            }
        }
    }

    @Test("A history that moves no read marker writes nothing: not even a lock is left in its row")
    func writesNothing() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("hello", user: 2)
            let row = "select xmin::text || ' ' || xmax::text from chat.read_position where user_id = 1"
            _ = try await chat.history()
            let before = try await chat.database.ask(row)
            _ = try await chat.history()
            #expect(try await chat.database.ask(row) == before)
            _ = try await chat.send("again", user: 2)
            _ = try await chat.history()
            #expect(try await chat.database.ask(row) != before)
        }
    }
}
