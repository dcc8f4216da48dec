import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Resumption by HTTP", .serialized)
struct ResumptionTests {
    /// A native client that keeps a room as the replies tell it, and loses some of them.
    private struct Client: Sendable {
        /// Each message as its JSON, by seq, with its revision.
        var messages: [Int: (rev: Int, text: String)] = [:]
        /// The messages up to this seq and the changes up to this revision are known.
        var seq = 0
        var rev = 0

        /// Keeps a message unless a newer state of it is known.
        private mutating func keep(_ message: JSONValue) {
            let (seq, rev) = (message["seq"]?.int ?? 0, message["rev"]?.int ?? 0)
            if let known = messages[seq], known.rev > rev { return }
            messages[seq] = (rev, message.written)
        }

        /// Loads what it lacks, until the room says that this is all.
        mutating func resume(_ chat: ChatHarness, _ random: inout SeededRandom) async throws {
            while true {
                let limit = Int.random(in: 1...40, using: &random)
                let page = try await chat.history(
                    "?threads=inline&after_seq=\(seq)&limit=\(limit)", user: ResumptionTests.reader)
                if Bool.random(using: &random), !page.isEmpty { continue }
                for message in page { keep(message) }
                seq = page.last?["seq"]?.int ?? seq
                if page.count < limit { break }
            }
            while true {
                let limit = Int.random(in: 1...20, using: &random)
                let reply = try await chat.call(
                    "GET", "\(ChatHarness.channel)/changes?after_rev=\(rev)&limit=\(limit)",
                    user: ResumptionTests.reader, on: Int.random(in: 0...1, using: &random)
                ).json
                if Bool.random(using: &random) { continue }
                // A message after `seq` comes with the messages.
                for message in reply["items"]?.elements.map(Array.init) ?? [] where message["seq"]?.int ?? 0 <= seq {
                    keep(message)
                }
                rev = reply["rev"]?.int ?? rev
                if reply["complete"]?.bool == true { return }
            }
        }
    }

    /// States of clients at several times.
    private final class Clients: Sendable {
        private let states = Mutex([Client()])

        var all: [Client] { states.withLock(\.self) }

        func add(_ client: Client) { states.withLock { $0.append(client) } }
    }

    private static let reader: Int64 = 4

    /// A random send or change by one of the members, which may be refused.
    private static func act(_ chat: ChatHarness, _ random: inout SeededRandom, upTo count: Int) async throws {
        let user = Int64.random(in: 1...4, using: &random)
        let seq = Int.random(in: 1...max(1, count), using: &random)
        let chats = "\(ChatHarness.channel)/chats"
        let emoji = ["%F0%9F%91%8D", "%F0%9F%87%B0%F0%9F%87%B7", "1%EF%B8%8F%E2%83%A3"].randomElement(using: &random)!
        let method = Bool.random(using: &random) ? "PUT" : "DELETE"
        let number = Int.random(in: 0..<1_000_000, using: &random)
        let (verb, path, json): (String, String, String?) =
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: ("POST", chats, #"{"content":"\#(number) @n2"}"#)
            case 2, 3:
                ("POST", chats, #"{"content":"\#(number)","thread":\#(seq),"toRoom":\#(Bool.random(using: &random))}"#)
            case 4, 5, 6: ("PUT", "\(chats)/\(seq)", #"{"content":"\#(number) @n3"}"#)
            case 7: ("DELETE", "\(chats)/\(seq)", nil)
            case 8, 9: (method, "\(chats)/\(seq)/pin", nil)
            default: (method, "\(chats)/\(seq)/reactions/\(emoji)", nil)
            }
        let reply = try await chat.call(
            verb, path, user: user, json: json, on: Int.random(in: 0...1, using: &random))
        #expect(reply.status < 300 || ["E13", "E14"].contains(reply.errorCode), "\(verb) \(path): \(reply.text)")
    }

    /// The random deletions are often refused, so this makes sure of one.
    private static func sendAndDelete(_ chat: ChatHarness, user: Int64) async throws {
        let chats = "\(ChatHarness.channel)/chats"
        let sent = try await chat.call("POST", chats, user: user, json: #"{"content":"to be deleted"}"#)
        let seq = try #require(try sent.json["seq"]?.int, "\(sent.text)")
        let deleted = try await chat.call("DELETE", "\(chats)/\(seq)", user: user)
        #expect(deleted.status < 300, "\(deleted.text)")
    }

    @Test(
        "R13: a native client that resumes from any cursor, while messages change, ends in the state that history gives",
        arguments: [1, 2, 3] as [UInt64])
    func resuming(_ seed: UInt64) async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let clients = Clients()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for actor in 0..<4 as Range<UInt64> {
                    group.addTask {
                        var random = SeededRandom(seed: seed * 100 + actor)
                        for step in 0..<60 {
                            try await Self.act(chat, &random, upTo: step * 2)
                            if step == 30 { try await Self.sendAndDelete(chat, user: 1 + Int64(actor)) }
                            // The readers may be done before the first change, or begin after the last one.
                            guard step % 15 == 10 else { continue }
                            var client = Client()
                            try await client.resume(chat, &random)
                            clients.add(client)
                        }
                    }
                }
                for reader in 4..<6 as Range<UInt64> {
                    group.addTask {
                        var random = SeededRandom(seed: seed * 100 + reader)
                        for _ in 0..<8 {
                            // Of several states of a client that has been away since, one resumes now.
                            var client = clients.all.randomElement(using: &random) ?? Client()
                            try await client.resume(chat, &random)
                            clients.add(client)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let truth = try await chat.history("?threads=inline", user: Self.reader)
            #expect(truth.count > 20 && truth.contains { $0["deletedAt"] != nil && $0["rev"]?.int ?? 0 > 0 })
            let wanted = Dictionary(uniqueKeysWithValues: truth.map { ($0["seq"]?.int ?? 0, $0.written) })
            var random = SeededRandom(seed: seed)
            let cursors = clients.all
            #expect(Set(cursors.map { "\($0.seq) \($0.rev)" }).count > 3)
            for var client in cursors {
                try await client.resume(chat, &random)
                let different = wanted.filter { client.messages[$0.key]?.text != $0.value }.keys.sorted()
                #expect(different == [] && client.messages.count == wanted.count)
            }
        }
    }
}

extension JSONValue {
    /// The value as it is written in the reply.
    fileprivate var written: String { String(decoding: text, as: UTF8.self) }
}
