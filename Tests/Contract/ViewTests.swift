import Contract
import Foundation
import Testing
import Wire

@Suite("Views")
struct ViewTests {
    private let profiles: ClientProfiles

    init() throws { profiles = try ClientProfiles(json: Array(Data(contentsOf: Self.clients))) }

    private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/clients.json")

    private func object(_ view: some View, as name: String) throws -> [String: Any] {
        let profile = try #require(profiles[name: name])
        let bytes = JSONWriter.bytes { json in json.view(view, for: profile) }
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private let member = MemberView(id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil)

    @Test("Ids are integers in the first generation and strings in the second")
    func ids() throws {
        #expect(try object(member, as: "sooda")["user_id"] as? Int == 5)
        #expect(try object(member, as: "gathering")["user_id"] as? String == "5")
    }

    @Test("A native client is told that a user is a bot, and a shipped app sees an ordinary user")
    func bots() throws {
        let bot = MemberView(id: UserID(5), email: "a@b.kr", nickname: "빌드", profileImage: nil, isBot: true)
        #expect(try object(bot, as: "native")["bot"] as? Bool == true)
        #expect(try object(member, as: "native")["bot"] == nil)
        for name in ["sooda", "gathering", "collabee"] {
            #expect(try object(bot, as: name).keys.sorted() == object(member, as: name).keys.sorted())
        }
    }

    @Test("A channel has workspace and private in the first generation and neither in the second")
    func channels() throws {
        let channel = ChannelView(
            workspace: WorkspaceID(3), id: ChannelID(7), name: "일반", description: nil, image: nil, owner: UserID(5),
            isPrivate: false, createdAt: Timestamp(milliseconds: 0))
        let first = try object(channel, as: "sooda")
        #expect(first["workspace_id"] as? Int == 3)
        #expect(first["private"] as? Int == 0)
        #expect(first["coverImage"] == nil)
        let second = try object(channel, as: "collabee")
        #expect(second["workspace_id"] == nil)
        #expect(second["private"] == nil)
        #expect(second["coverImage"] is NSNull)
        #expect(second["createdAt"] as? String == "1970-01-01T00:00:00.000Z")
    }

    @Test("A missing phone is an empty text for clients that cannot edit a profile with null")
    func phone() throws {
        let account = AccountView(
            id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil, phone: nil, provider: .kakao, coins: 7,
            createdAt: .now)
        #expect(try object(account, as: "collatalk")["phone"] as? String == "")
        #expect(try object(account, as: "native")["phone"] is NSNull)
        #expect(try object(account, as: "sooda")["vendor"] as? String == "kakao")
        #expect(try object(account, as: "collatalk")["provider"] as? String == "kakao")
        #expect(try object(account, as: "collatalk")["token"] == nil)
    }

    @Test(
        "A deleted message is a tombstone for native clients, and has a text for the others, which learn of no change")
    func deleted() throws {
        let body = MessageBody(
            id: ChatID(9), seq: 1, content: "", createdAt: Timestamp(milliseconds: 0), files: [], author: member,
            revision: MessageRevision(rev: 4, deletedAt: Timestamp(milliseconds: 5)))
        let view = DMView(room: DMID(4), message: body)
        let native = try object(view, as: "native")
        #expect(native["content"] as? String == "")
        #expect(native["deletedAt"] as? String == "1970-01-01T00:00:00.005Z")
        #expect(native["rev"] as? Int == 4)
        #expect((native["reactions"] as? [Any])?.isEmpty == true)
        for name in ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07"] {
            let shipped = try object(view, as: name)
            #expect(shipped["content"] as? String == "삭제된 메시지입니다.", "\(name)")
            #expect(
                Set(shipped.keys) == ["dm_id", "room_id", "seq", "content", "createdAt", "files", "user"], "\(name)")
        }
    }

    @Test("A message of a blocked author has its place and no content; shipped apps get a text")
    func blocked() throws {
        let body = MessageBody(
            id: ChatID(9), seq: 4, content: "secret", createdAt: Timestamp(milliseconds: 0), files: ["/static/a"],
            author: member, clientID: "c",
            traits: MessageTraits(thread: ReplyThread(root: 2, isInTimeline: true), mentions: [.room]),
            revision: MessageRevision(
                rev: 4, reactions: [MessageReaction(emoji: "👍", count: 1, users: [UserID(6)])]))
        #expect(body.hiding([UserID(999)]) == body)
        let view = DMView(room: DMID(4), message: body.hiding([member.id]))
        let native = try object(view, as: "native")
        #expect(native["content"] as? String == "")
        #expect(native["blocked"] as? Bool == true)
        #expect(native["seq"] as? Int == 4)
        #expect(native["rev"] as? Int == 4)
        for list in ["files", "mentions", "reactions"] { #expect((native[list] as? [Any])?.isEmpty == true, "\(list)") }
        #expect(native["client_id"] == nil)
        #expect((native["thread"] as? [String: Any])?["root"] as? Int == 2)
        for name in ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07"] {
            let shipped = try object(view, as: name)
            #expect(shipped["content"] as? String == "차단한 사용자의 메시지입니다.", "\(name)")
            #expect((shipped["files"] as? [Any])?.isEmpty == true)
            #expect(
                Set(shipped.keys) == ["dm_id", "room_id", "seq", "content", "createdAt", "files", "user"], "\(name)")
        }
    }

    @Test("Only native clients see threads, mentions and previews; the others see nicknames in the place of ids")
    func threads() throws {
        let body = MessageBody(
            id: ChatID(9), seq: 4, content: "<@6>야 @channel <@7>", createdAt: Timestamp(milliseconds: 0), files: [],
            author: member,
            traits: MessageTraits(
                thread: ReplyThread(root: 2, isInTimeline: false), mentions: [.user(UserID(6), nickname: "민지"), .room],
                previews: [
                    FilePreview(
                        file: "/static/dmChats/a_1.jpg", width: 4, height: 3, isAnimated: true, blur: "00OZZy")
                ]),
            revision: MessageRevision(
                rev: 4, replies: RepliesSummary(count: 2, lastAt: Timestamp(milliseconds: 5), users: [UserID(6)])))
        let view = DMView(room: DMID(4), message: body)
        let native = try object(view, as: "native")
        #expect(native["content"] as? String == "<@6>야 @channel <@7>")
        #expect((native["thread"] as? [String: Int]) == ["root": 2])
        #expect((native["mentions"] as? [[String: String]]) == [["type": "user", "user_id": "6"], ["type": "room"]])
        let replies = try #require(native["replies"] as? [String: Any])
        #expect(replies["count"] as? Int == 2)
        #expect(replies["lastAt"] as? String == "1970-01-01T00:00:00.005Z")
        #expect(replies["users"] as? [String] == ["6"])
        #expect(native["scheduled"] == nil)
        let preview = try #require((native["previews"] as? [[String: Any]])?.first)
        #expect(preview["file"] as? String == "/static/dmChats/a_1.jpg" && preview["blur"] as? String == "00OZZy")
        #expect(preview["width"] as? Int == 4 && preview["height"] as? Int == 3)
        #expect(preview["animated"] as? Bool == true)
        for name in ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07"] {
            let shipped = try object(view, as: name)
            #expect(shipped["content"] as? String == "@민지야 @channel <@7>", "\(name)")
            #expect(
                Set(shipped.keys) == ["dm_id", "room_id", "seq", "content", "createdAt", "files", "user"], "\(name)")
        }
    }

    @Test(
        "Each id of a mentioned user becomes its nickname, and nothing else changes",
        arguments: [
            ("<@6>야", "@<@7>야"), ("<@6><@7>", "@<@7>@민지"), ("<@6", "<@6"), ("<@>", "<@>"), ("<@8> <@6>", "<@8> @<@7>"),
            ("<@<@6>>", "<@@<@7>>"), ("a < b @ c <@6 >", "a < b @ c <@6 >"), ("", ""), ("<@06>", "<@06>"),
        ])
    func names(_ content: String, _ shown: String) {
        let body = MessageBody(
            id: ChatID(9), seq: 4, content: content, createdAt: Timestamp(milliseconds: 0), files: [], author: member,
            traits: MessageTraits(mentions: [
                .user(UserID(6), nickname: "<@7>"), .user(UserID(7), nickname: "민지"), .room,
            ]))
        #expect(body.plainContent == shown)
    }

    private func mentioning(_ nickname: String, _ content: String) -> MessageBody {
        MessageBody(
            id: ChatID(9), seq: 4, content: content, createdAt: Timestamp(milliseconds: 0), files: [], author: member,
            traits: MessageTraits(mentions: [.user(UserID(6), nickname: nickname)]))
    }

    @Test("A text with many beginnings of ids is read once", .timeLimit(.minutes(5)))
    func beginnings() {
        let beginnings = String(repeating: "<@", count: 200_000)
        #expect(mentioning("민지", "<@6>" + beginnings).plainContent == "@민지" + beginnings)
        #expect(mentioning("민지", "<@9223372036854775807> <@6>").plainContent == "<@9223372036854775807> @민지")
    }

    @Test("Nicknames in the place of ids add some kilobytes to a text, and further ids stay")
    func longNames() {
        let nickname = String(repeating: "👨‍👩‍👧‍👦", count: 30)
        let content = String(repeating: "<@6>", count: 2500)
        let shown = mentioning(nickname, content).plainContent
        #expect(shown.hasPrefix("@" + nickname + "@" + nickname) && shown.hasSuffix("<@6><@6>"))
        #expect(shown.utf8.count < content.utf8.count + 40 * 1024)
    }

    @Test("A message always has content, and its room has the name of the generation")
    func messages() throws {
        let body = MessageBody(
            id: ChatID(9), seq: 1, content: "", createdAt: .now, files: ["/static/dmChats/a_1.jpg"], author: member)
        let chat = try object(ChatView(channel: ChannelID(7), channelName: "일반", message: body), as: "sooda")
        #expect(chat["content"] as? String == "")
        #expect(chat["channel_id"] as? Int == 7)
        #expect(chat["channelName"] as? String == "일반")
        #expect((chat["user"] as? [String: Any])?["nickname"] as? String == "새싹")
        let dm = try object(DMView(room: DMID(4), message: body), as: "gathering")
        #expect(dm["dm_id"] as? String == "9")
        #expect(dm["room_id"] as? String == "4")
        #expect(dm["files"] as? [String] == ["/static/dmChats/a_1.jpg"])
    }
}
