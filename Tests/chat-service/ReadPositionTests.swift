import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Read positions", .serialized)
struct ReadPositionTests {
    /// Rooms and positions by the plainest arithmetic.
    private struct Model {
        var authors: [Int64: [Int64]] = [7: [], 8: []]
        var positions: [Int64: [Int64: Int]] = [7: [:], 8: [:]]

        mutating func move(_ user: Int64, _ room: Int64, _ seq: Int) {
            let most = min(seq, authors[room]?.count ?? 0)
            let reached = max(most, position(user, room))
            positions[room]?[user] = reached
        }

        mutating func send(_ user: Int64, _ room: Int64) {
            authors[room]?.append(user)
            move(user, room, .max)
        }

        func position(_ user: Int64, _ room: Int64) -> Int { positions[room]?[user] ?? 0 }

        func unread(_ user: Int64, _ room: Int64, after: Int? = nil) -> Int {
            (authors[room] ?? []).dropFirst(after ?? position(user, room)).count { $0 != user }
        }
    }

    @Test("Unread is what others wrote after the read position, a user's rooms sum it up, and nothing moves backwards")
    func model() async throws {
        try await ChatHouse.use { house in
            house.peers.change { $0.channels[8]?.members = [1, 2, 3, 4] }
            var model = Model()
            var dates: [Int64: [String]] = [7: [], 8: []]
            for step in 0..<250 {
                let (user, room) = (Int64.random(in: 1...3), Int64.random(in: 7...8))
                let count = model.authors[room]?.count ?? 0
                switch Int.random(in: 0..<7) {
                case 0, 1, 2:
                    let reply = try await house.send("\(step)", user: user, to: room)
                    dates[room]?.append(try reply.json["createdAt"]?.string ?? "")
                    model.send(user, room)
                case 3:
                    _ = try await house.history(user: user, of: "\(room)")
                    model.move(user, room, .max)
                case 4:
                    let seq = Int.random(in: 0...(count + 3))
                    let reply = try await house.call(
                        "PUT", "/v1/workspaces/3/channels/\(room)/read", user: user, json: #"{"seq":\#(seq)}"#)
                    model.move(user, room, seq)
                    let position = try reply.json["seq"]?.int
                    #expect(position == model.position(user, room), "step \(step)")
                case 5 where count > 0:
                    let place = Int.random(in: 1...count)
                    let date = dates[room]?[place - 1] ?? ""
                    let found = try await house.unread("?after=\(date)", user: user, of: "\(room)")
                    #expect(found == model.unread(user, room, after: place), "step \(step) after \(date)")
                default:
                    let from = Int.random(in: 0...(count + 1))
                    _ = try await house.history("?after_seq=\(from)&limit=2", user: user, of: "\(room)")
                    model.move(user, room, min(from, count) + 2)
                }
                let found = try await house.unread(user: user, of: "\(room)")
                #expect(found == model.unread(user, room), "step \(step)")
            }
            for user in 1...3 as ClosedRange<Int64> {
                let rooms = try await house.call("GET", "/v1/workspaces/3/rooms", user: user).json.elements
                let counts = rooms?.compactMap { $0["unreadCount"]?.int } ?? []
                #expect(counts.reduce(0, +) == model.unread(user, 7) + model.unread(user, 8))
            }
        }
    }
}
