import Contract
import Testing
import Wire

@Suite("Room events")
struct RoomEventTests {
    static let body = MessageBody(
        id: ChatID(991), seq: 12, content: "안녕 \"you\"\n\u{1F600}",
        createdAt: Timestamp(milliseconds: 1_700_000_000_123),
        files: ["/static/channelChats/a_1.jpg"],
        author: MemberView(id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil), clientID: "c-1")

    static let events: [RoomEvent] = [
        .message(
            RoomMessage(
                room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "일반", body: body, session: SessionID(77))),
        .message(
            RoomMessage(room: RoomID(DMID(7)), workspace: WorkspaceID(3), name: nil, body: body, session: SessionID(77))
        ),
        .removed(room: RoomID(ChannelID(7)), after: 12, user: UserID(5)),
        .closed(room: RoomID(DMID(9)), after: 0),
    ]

    @Test("An event reads back as it was written", arguments: events)
    func roundTrip(event: RoomEvent) throws {
        #expect(RoomEvent(try JSONValue(parsing: event.encoded())) == event)
    }

    @Test(
        "What is no event is refused",
        arguments: [
            "{}", "[]", #"{"type":"message","room":"channel-7"}"#,
            #"{"type":"removed","room":"7","after":1,"user_id":"5"}"#,
            #"{"type":"closed","room":"dm-9","after":"1"}"#,
        ])
    func refusals(text: String) throws { #expect(RoomEvent(try JSONValue(parsing: text)) == nil) }
}
