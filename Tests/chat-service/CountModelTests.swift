import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Counts against a model", .serialized)
struct CountModelTests {
    /// Performs operations on two instances and on a third one that is killed now and then, and repeats those without an
    /// answer.
    private final class Actor {
        let chat: ChatHarness
        var model = CountModel()
        var random: SeededRandom
        var members: Set<Int64> = [1, 2, 3, 4]
        private var other: BuiltService?
        private let folder = TemporaryFolder("maru-counts")
        private let port = FreePort.pick()
        private var number = 0

        static let chats = "/v1/workspaces/3/channels/7/chats"

        init(_ chat: ChatHarness, seed: UInt64) {
            self.chat = chat
            random = SeededRandom(seed: seed)
        }

        /// Some users have blocked others from the beginning.
        func block(_ blocked: [Int64: Set<Int64>]) {
            model.blocked = blocked
            chat.peers.change { $0.blocked = blocked }
        }

        func start() async throws {
            other = try await BuiltService(
                "chat-service", database: chat.database.database, redis: chat.redis, auth: chat.peers.url, in: folder,
                [
                    "workspace_url": chat.peers.url, "realtime_url": chat.peers.url, "here_timeout": "3s",
                    "user_here": "100000",
                    "public_address": "127.0.0.1:\(port)", "user_rate": "100000",
                    "user_burst": "100000",
                ])
        }

        func stop() async { await other?.stop() }

        /// Makes a call on any instance, and again elsewhere if that does not answer.
        func call(_ method: String, _ path: String, _ user: Int64, _ json: String = "{}") async throws
            -> HTTPCall.Reply
        {
            let instance = Int.random(in: 0...2, using: &random)
            let isKilled = instance == 2 && Int.random(in: 0..<12, using: &random) == 0
            if instance == 2 {
                let headers = [
                    ("SesacKey", "native"), ("Authorization", chat.peers.tokens.token(user: user, key: "native")),
                    ("Content-Type", "application/json"),
                ]
                let call = HTTPCall(method, port: port, path, headers: headers, body: Array(json.utf8))
                async let answer = call.reply()
                if isKilled { await other?.kill() }
                let reply = try? await answer
                if isKilled { try await start() }
                if let reply { return reply }
            }
            return try await chat.call(method, path, user: user, json: json, on: instance % 2)
        }

        private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

        private var living: [Int] { model.messages.indices.map { $0 + 1 }.filter { !model.message($0).isDeleted } }

        private var present: Set<Int64> { members.intersection(chat.peers.now.present ?? []) }

        /// Mentions of members, and the text that has them. Others are present from now on.
        private func mentions() -> (text: String, users: [Int64]) {
            number += 1
            let users = [1, 2, 3, 4].filter { _ in Int.random(in: 0..<5, using: &random) == 0 } as [Int64]
            let isAll = Int.random(in: 0..<8, using: &random) == 0
            let isHere = Int.random(in: 0..<4, using: &random) == 0
            let present = Set([1, 2, 3, 4].filter { _ in Bool.random(using: &random) } as [Int64])
            chat.peers.change { $0.present = present }
            let groups = (isAll ? " @channel" : "") + (isHere ? " @here" : "")
            let text = users.map { "@n\($0)님" }.joined(separator: " ") + groups + " \(number)"
            return (text, users.filter(members.contains) + (isAll ? [0] : []) + (isHere ? [-1] : []))
        }

        func step() async throws {
            guard let user = pick(members.sorted()) else { return }
            let seq = pick(living)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5: try await send(user, to: nil)
            case 5..<10: try await send(user, to: seq)
            case 10..<12: try await edit(seq)
            case 12: try await delete(seq)
            case 13..<15: try await read(user)
            case 15..<17: try await readThread(user, seq)
            case 17: try await follow(user, seq)
            case 18: try await notify(user)
            default: try await comeAndGo()
            }
        }

        private func send(_ user: Int64, to seq: Int?) async throws {
            let (text, users) = mentions()
            var reply = ""
            let root = seq.flatMap { model.root(for: $0) }
            if seq != nil, root == nil { return }
            let isAside = Bool.random(using: &random)
            if let seq { reply = #","thread":\#(seq),"toRoom":\#(!isAside)"# }
            let sent = try await call(
                "POST", Self.chats, user, #"{"content":"\#(text)","client_id":"\#(number)"\#(reply)}"#)
            model.send(
                by: user, mentions: users, present: present, root: root, isAside: root != nil && isAside)
            #expect(try sent.json["seq"]?.int == model.messages.count, "\(sent.text)")
        }

        private func edit(_ seq: Int?) async throws {
            guard let seq, members.contains(model.message(seq).author) else { return }
            let (text, users) = mentions()
            let reply = try await call(
                "PUT", "\(Self.chats)/\(seq)", model.message(seq).author, #"{"content":"\#(text)"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            model.edit(seq, mentions: users, present: present)
        }

        private func delete(_ seq: Int?) async throws {
            guard let seq, members.contains(model.message(seq).author) else { return }
            let reply = try await call("DELETE", "\(Self.chats)/\(seq)", model.message(seq).author)
            // A repeated deletion finds no message.
            #expect(reply.status == 200 || reply.errorCode == "E13", "\(reply.text)")
            model.delete(seq)
        }

        private func read(_ user: Int64) async throws {
            let seq = Int.random(in: 0...model.messages.count, using: &random)
            _ = try await call("PUT", "\(ChatHarness.channel)/read", user, #"{"seq":\#(seq)}"#)
            model.read(seq, by: user)
        }

        private func readThread(_ user: Int64, _ seq: Int?) async throws {
            guard let seq else { return }
            let end = Int.random(in: 0...model.messages.count, using: &random)
            _ = try await call("PUT", "\(Self.chats)/\(seq)/thread/read", user, #"{"seq":\#(end)}"#)
            model.readThread(model.message(seq).root ?? seq, end, by: user)
        }

        private func follow(_ user: Int64, _ seq: Int?) async throws {
            guard let seq else { return }
            let isFollowing = Bool.random(using: &random)
            _ = try await call(isFollowing ? "PUT" : "DELETE", "\(Self.chats)/\(seq)/thread/follow", user)
            model.follow(model.message(seq).root ?? seq, isFollowing, by: user)
        }

        /// A level and a mute change pushes and no count.
        private func notify(_ user: Int64) async throws {
            let level = pick(["all", "mentions", "none"]) ?? "all"
            let isMuted = Bool.random(using: &random)
            let mute = isMuted ? #","mutedUntil":"\#(Timestamp.now + .seconds(3600))""# : ""
            _ = try await call("PUT", "\(ChatHarness.channel)/notify", user, #"{"level":"\#(level)"\#(mute)}"#)
        }

        /// Removes member 4 or lets them back in, and returns after all instances have noticed.
        private func comeAndGo() async throws {
            let isIn = members.contains(4)
            if isIn { members.remove(4) } else { members.insert(4) }
            chat.peers.change { [members] in $0.channels[7]?.members = members }
            let headers = [("SesacKey", "native"), ("Authorization", chat.peers.tokens.token(user: 4, key: "native"))]
            try await eventually("the change of members") { [chat, port] in
                try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3"}"#)
                for instance in 0..<3 {
                    let path = "\(ChatHarness.channel)/unreads"
                    let reply =
                        instance < 2
                        ? try await chat.call("GET", path, user: 4, on: instance)
                        : try await HTTPCall("GET", port: port, path, headers: headers).reply()
                    guard (reply.status == 200) != isIn else { return false }
                }
                return true
            }
        }

        // MARK: Comparison

        func compare() async throws {
            for user in members {
                let room = try await chat.room("channel_id", "7", user: user)
                let counts = CountModel.Counts(
                    unread: room["unreadCount"]?.int ?? -1, mentions: room["mentionCount"]?.int ?? -1)
                #expect(counts == model.room(user), "room of \(user) after \(number)")
                let start = try await chat.start(of: user, on: number % 2).first {
                    $0["channel_id"]?.string == "7"
                }
                let started = CountModel.Counts(
                    unread: start?["unreadCount"]?.int ?? -1, mentions: start?["mentionCount"]?.int ?? -1)
                #expect(started == model.room(user), "start of \(user) after \(number)")
                #expect(try await chat.unread(user: user, key: "collatalk") == model.shipped(user))
                let list = try await chat.call("GET", "/v1/workspaces/3/threads?limit=200", user: user, on: 1).json
                var threads: [Int: CountModel.Counts] = [:]
                for item in list["items"]?.elements.map(Array.init) ?? [] {
                    threads[item["root"]?["seq"]?.int ?? 0] = CountModel.Counts(
                        unread: item["unreadCount"]?.int ?? -1, mentions: item["mentionCount"]?.int ?? -1)
                }
                #expect(threads == model.threads(user), "threads of \(user) after \(number)")
                let all = try await chat.call("GET", "/v1/workspaces/3/rooms?with=threads", user: user).json["threads"]
                #expect(all?["unreadCount"]?.int == threads.values.reduce(0) { $0 + $1.unread })
                #expect(all?["mentionCount"]?.int == threads.values.reduce(0) { $0 + $1.mentions })
            }
            for root in Set(living.compactMap { model.message($0).root }) {
                let shown = try await chat.call("GET", "\(Self.chats)/\(root)").json["replies"]?["count"]?.int
                #expect(shown == model.replies(to: root).count)
            }
            guard let seq = living.last else { return }
            let badges = try await chat.decisions(members.sorted(), seq: seq, badges: members.sorted()).badges
            for (user, badge) in badges { #expect(badge == model.badge(user), "badge of \(user) after \(number)") }
            for (user, badge) in try await chat.badges(members.sorted()) {
                let mentions = model.room(user).mentions + model.threads(user).values.reduce(0) { $0 + $1.mentions }
                #expect(badge.unread == model.badge(user), "badge on /me of \(user) after \(number)")
                #expect(badge.mentions == mentions, "mentions on /me of \(user) after \(number)")
            }
        }
    }

    @Test(
        "R7: unread, mention and thread counts equal a model after random operations, also with blocks and crashes",
        arguments: [1, 2] as [UInt64])
    func counts(_ seed: UInt64) async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let actor = Actor(chat, seed: seed)
            if seed == 2 { actor.block([2: [1], 3: [1, 4]]) }
            try await actor.start()
            for _ in 0..<12 {
                for _ in 0..<15 { try await actor.step() }
                try await actor.compare()
            }
            await actor.stop()
        }
    }
}
