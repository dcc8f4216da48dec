import Foundation
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// A workspace with random changes of messages, members, blocks and rooms, and a model of it.
struct SearchWorld {
    enum Change: CaseIterable {
        case send, upload, edit, delete, react, leave, block, unblock, close

        /// How often the change is made, of 24 times.
        var weight: Int {
            switch self {
            case .send: 7
            case .edit: 5
            case .delete, .react: 3
            case .leave, .block: 2
            case .upload, .unblock, .close: 1
            }
        }
    }

    private(set) var model: SearchModel
    /// The kinds of changes so far.
    private(set) var done: Set<Change> = []
    let chat: ChatHarness
    private let kind: UnusualText.Kind
    private var unusual: UnusualText
    private var random: SeededRandom
    private var paths: [RoomID: String] = [:]
    private var facts = 0
    /// The next changes; each has its share of them.
    private var deck: [Change] = []

    init(_ chat: ChatHarness, _ kind: UnusualText.Kind, seed: UInt64) async throws {
        (self.chat, self.kind) = (chat, kind)
        (unusual, random) = (UnusualText(seed: seed), SeededRandom(seed: seed))
        model = SearchModel(members: [:])
        for (channel, members) in [(7, [1, 2, 3, 4]), (8, [1, 2]), (10, [2, 3, 4]), (11, [1, 3])]
            as [(Int64, Set<Int64>)]
        {
            let room = RoomID(ChannelID(channel))
            model.members[room] = members
            paths[room] = "/v1/workspaces/3/channels/\(channel)"
            chat.peers.change {
                $0.channels[channel] = PeersOfChat.Channel(workspace: 3, name: "channel \(channel)", members: members)
            }
        }
        for (one, other) in [(1, 2), (3, 1)] as [(Int64, Int64)] {
            let path = try await chat.dm(one, other)
            let room = RoomID(DMID(Int64(path.split(separator: "/").last ?? "") ?? 0))
            model.members[room] = [one, other]
            paths[room] = path
        }
    }

    /// Makes a random change, if it applies.
    mutating func change() async throws {
        if deck.isEmpty {
            deck = Change.allCases.flatMap { Array(repeating: $0, count: $0.weight) }.shuffled(using: &random)
        }
        switch deck.removeLast() {
        case .send: try await send()
        case .upload: try await upload()
        case .edit: try await edit()
        case .delete: try await delete()
        case .react: try await react()
        case .leave: try await leaveOrReturn()
        case .block: try await setBlocked(true)
        case .unblock: try await setBlocked(false)
        case .close: try await close()
        }
    }

    mutating func send() async throws {
        guard let (room, user) = writer() else { return }
        let text = unusual.message(kind) + (chance(8) ? " https://a.example/b" : "")
        let json = #"{"content":\#(quoted(text))}"#
        let reply = try await chat.call("POST", path(room) + "/chats", user: user, json: json)
        try keep(reply, room, user, text)
        done.insert(.send)
    }

    private mutating func upload() async throws {
        let room = RoomID(ChannelID(7))
        guard let user = model.members[room]?.sorted().randomElement(using: &random) else { return }
        let stem = unusual.message(kind).filter { !"/\\\"“”%._".contains($0) && !$0.isNewline }.prefix(20)
        let isImage = chance(3)
        // Apple's systems decompose names.
        let name = "가\(stem).".decomposedStringWithCanonicalMapping + (isImage ? "png" : "pdf")
        let file = Upload(name: name, bytes: isImage ? Upload.png.bytes : Upload.pdf.bytes)
        let reply = try await chat.upload([file], content: nil, user: user)
        try keep(reply, room, user, "")
        done.insert(.upload)
    }

    private mutating func keep(_ reply: HTTPCall.Reply, _ room: RoomID, _ user: Int64, _ text: String) throws {
        let json = try reply.json
        guard reply.status < 300, let seq = json["seq"]?.int,
            let createdAt = json["createdAt"]?.string.flatMap({ Timestamp($0) })
        else { throw NeverHappened(description: "a message: \(reply.status) \(reply.text)") }
        let files = json["files"]?.elements?.compactMap(\.string).map(Self.name) ?? []
        model.messages.append(
            SearchModel.Message(
                room: room, seq: Int64(seq), author: user, text: text, files: files, createdAt: createdAt))
    }

    /// The name of a file of a path: before the last underscore, with the suffix after it.
    private static func name(ofPath path: String) -> String {
        let last = path.split(separator: "/").last ?? ""
        let parts = last.split(separator: "_")
        let stem = parts.dropLast().joined(separator: "_").removingPercentEncoding ?? ""
        return "\(stem).\(last.split(separator: ".").last ?? "")"
    }

    private mutating func edit() async throws {
        guard let index = living(in: { $0.files.isEmpty }) else { return }
        let (message, text) = (model.messages[index], unusual.message(kind))
        try await call(
            "PUT", "\(path(message.room))/chats/\(message.seq)", message.author, #"{"content":\#(quoted(text))}"#)
        model.messages[index].text = text
        done.insert(.edit)
    }

    private mutating func delete() async throws {
        guard let index = living(in: { _ in true }) else { return }
        let message = model.messages[index]
        try await call("DELETE", "\(path(message.room))/chats/\(message.seq)", message.author)
        model.messages[index].isDeleted = true
        done.insert(.delete)
    }

    private mutating func react() async throws {
        guard let index = living(in: { !$0.hasReaction }) else { return }
        let message = model.messages[index]
        try await call(
            "PUT", "\(path(message.room))/chats/\(message.seq)/reactions/%F0%9F%91%8D", message.author)
        model.messages[index].hasReaction = true
        done.insert(.react)
    }

    private mutating func leaveOrReturn() async throws {
        guard let room = channel() else { return }
        let user = Int64.random(in: 1...4, using: &random)
        model.members[room]?.formSymmetricDifference([user])
        let members = model.members[room] ?? []
        chat.peers.change { $0.channels[room.rawValue]?.members = members }
        try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
        done.insert(.leave)
    }

    private mutating func setBlocked(_ isBlocked: Bool) async throws {
        let users = 1...4 as ClosedRange<Int64>
        let pairs = users.flatMap { user in users.map { (user, $0) } }
            .filter { $0 != $1 && model.blocked[$0, default: []].contains($1) != isBlocked }
        guard let (user, other) = pairs.randomElement(using: &random) else { return }
        model.blocked[user, default: []].formSymmetricDifference([other])
        let blocked = model.blocked
        chat.peers.change { $0.blocked = blocked }
        try await chat.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"\#(user)","blocked":"\#(other)"}"#)
        done.insert(isBlocked ? .block : .unblock)
    }

    /// Deletes a channel, but not the one of the uploads.
    private mutating func close() async throws {
        guard let room = channel(), room.rawValue != 7 else { return }
        model.members[room] = nil
        chat.peers.change { $0.channels[room.rawValue] = nil }
        facts += 1
        try await chat.publishFact(
            facts, "channel.deleted",
            #"{"channel_id":"\#(room.rawValue)","workspace_id":"3","name":"channel \#(room.rawValue)","version":2}"#)
        done.insert(.close)
    }

    // MARK: Chance

    private func path(_ room: RoomID) -> String { paths[room] ?? "" }

    private mutating func writer() -> (RoomID, Int64)? {
        let rooms = model.members.filter { !$0.value.isEmpty }.keys.sorted { "\($0)" < "\($1)" }
        guard let room = rooms.randomElement(using: &random),
            let user = model.members[room]?.sorted().randomElement(using: &random)
        else { return nil }
        return (room, user)
    }

    private mutating func channel() -> RoomID? {
        model.members.keys.filter { $0.kind == .channel }.sorted { $0.rawValue < $1.rawValue }
            .randomElement(using: &random)
    }

    /// A message that its author can change now.
    private mutating func living(in isWanted: (SearchModel.Message) -> Bool) -> Int? {
        let model = model
        return model.messages.indices.filter { index in
            let message = model.messages[index]
            return !message.isDeleted && model.members[message.room]?.contains(message.author) == true
                && isWanted(message)
        }.randomElement(using: &random)
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// Repeats a call until the service knows that its user has returned to the room.
    private func call(_ method: String, _ path: String, _ user: Int64, _ json: String? = nil) async throws {
        let chat = chat
        try await eventually("\(method) \(path)") {
            try await chat.call(method, path, user: user, json: json).status < 300
        }
    }

    private func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
