import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pages of push jobs")
struct PushPageTests {
    private static func ids(_ range: Int64...) -> [UserID] { range.map { UserID($0) } }

    @Test("Each member of a page gets one reason, and the devices of the members to be pushed get the push")
    func page() {
        let devices = [
            AuthClient.Device(user: UserID(2), token: "a", profile: "gathering"),
            AuthClient.Device(user: UserID(2), token: "b", profile: "native"),
            AuthClient.Device(user: UserID(3), token: "c", profile: "native"),
            AuthClient.Device(user: UserID(4), token: "d"),
        ]
        var page = PushPage(
            after: nil, users: Self.ids(1, 2, 3, 4, 5), present: [UserID(1)], devices: devices,
            isNative: { $0.profile == "native" })
        #expect(page.undecided == Self.ids(2, 3, 4))
        #expect(page.withBadge == Self.ids(2, 3))
        page.add(
            PushDecisionsReply(
                groups: [.init(reason: .mention, users: Self.ids(2, 4)), .init(reason: .muted, users: Self.ids(3))],
                badges: [.init(user: UserID(2), count: 7)]))
        #expect(
            page.reasons == [
                UserID(1): .present, UserID(2): .mention, UserID(3): .muted, UserID(4): .mention, UserID(5): .noDevice,
            ])
        #expect(
            page.targets == [
                .init(device: "a", user: UserID(2), badge: nil), .init(device: "b", user: UserID(2), badge: 7),
                .init(device: "d", user: UserID(4), badge: nil),
            ])
    }

    @Test("A badge that could not be counted leaves the one on the device as it is")
    func missingBadge() {
        let devices = [AuthClient.Device(user: UserID(2), token: "a", profile: "native")]
        var page = PushPage(after: nil, users: Self.ids(2), present: [], devices: devices, isNative: { _ in true })
        page.add(PushDecisionsReply(groups: [.init(reason: .mention, users: Self.ids(2))], badges: []))
        #expect(page.targets == [.init(device: "a", user: UserID(2), badge: nil)])
    }

    @Test("Only pushes to an app with the native API have room, message, thread and badge")
    func addressing() {
        let message = RoomMessage(
            room: RoomID(ChannelID(8)), workspace: WorkspaceID(3), name: "일반",
            body: MessageBody(
                id: ChatID(9), seq: 12, content: "", createdAt: .now, files: [],
                author: MemberView(id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil),
                traits: MessageTraits(thread: ReplyThread(root: 10, isInTimeline: false))),
            session: SessionID(1))
        let push = PushMessage(message, content: "안녕")
        func due(_ badge: Int?) -> DuePush {
            DuePush(
                room: message.room, seq: 12, device: "d", user: UserID(1), body: "", attempts: 1, createdAt: .now,
                badge: badge)
        }
        #expect(push.addressed(to: due(nil)) == push)
        let native = push.addressed(to: due(7))
        #expect(native.data["room"] == "channel-8" && native.data["seq"] == "12" && native.data["badge"] == "7")
        #expect(native.data["thread"] == "10" && push.data["thread"] == nil)
        let stored = try? JSONValue(parsing: Array(push.encoded().utf8))
        #expect(stored.flatMap { PushMessage($0) } == push)
        #expect(native.data["channel_id"] == "8" && native.collapseID == "channel-8:12")
        let body = try? JSONValue(parsing: FCM.body(native, "d"))["message"]
        #expect(body?["apns"]?["payload"]?["aps"]?["badge"]?.int == 7)
        #expect(body?["android"]?["notification"]?["notification_count"]?.int == 7)
        let shipped = try? JSONValue(parsing: FCM.body(push, "d"))["message"]
        #expect(shipped?["apns"]?["payload"]?["aps"]?["badge"] == nil)
    }
}
