import Contract
import ServiceKit
import ServiceSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Rendering")
struct RenderingTests {
    @Test("A message is rendered once for all clients of a generation, and once for native clients")
    func once() throws {
        let text = try #require(Config.textOfFile(ServiceUnderTest.clients))
        let profiles = try ClientProfiles(json: Array(text.utf8))
        func profile(_ name: String) throws -> ClientProfile { try #require(profiles[name: name]) }
        var rendered = RenderedMessage(
            RoomMessage(
                room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "c",
                body: MessageBody(
                    id: ChatID(9), seq: 1, content: "1", createdAt: .now, files: [],
                    author: MemberView(id: UserID(5), email: "a@b.kr", nickname: "a", profileImage: nil)),
                session: SessionID(1)),
            compressingIn: nil)
        let names = ["gathering", "native", "sooda", "collatalk", "gen-2024-01"]
        let packets = try names.map { name in
            let profile = try profile(name)
            return rendered.packet(for: EventForm(profile.form), profile)
        }
        for (first, second) in [(0, 3), (2, 4)] { #expect(packets[first] === packets[second]) }
        for (first, second) in [(0, 1), (0, 2), (1, 2)] { #expect(packets[first] !== packets[second]) }
    }

    @Test("No client's form of a message is larger than its place in a slice, however many members it names")
    func largest() throws {
        let text = try #require(Config.textOfFile(ServiceUnderTest.clients))
        let profiles = try ClientProfiles(json: Array(text.utf8))
        let nickname = String(repeating: "가", count: 30)
        let users = (1000..<2000).map { UserID($0) }
        for (content, named) in [
            (String(repeating: "<@1000>", count: 1400), Array(users.prefix(1))),
            (users.map { "<@\($0)>" }.joined(), users),
        ] {
            let message = RoomMessage(
                room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "c",
                body: MessageBody(
                    id: ChatID(9), seq: 1, content: content, createdAt: .now, files: [],
                    author: MemberView(id: UserID(5), email: "a@b.kr", nickname: "a", profileImage: nil),
                    traits: MessageTraits(mentions: named.map { .user($0, nickname: nickname) })),
                session: SessionID(1))
            for profile in profiles.all {
                let view = ChatView(channel: ChannelID(7), channelName: "c", message: message.body)
                let size = JSONWriter.bytes { $0.view(view, for: profile) }.count
                #expect(size <= message.largestSize, "\(profile.name): \(size)")
            }
        }
    }
}
