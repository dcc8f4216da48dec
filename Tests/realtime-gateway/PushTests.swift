import Contract
import HTTP
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pushes")
struct PushTests {
    private func message(_ room: RoomID, _ content: String) -> RoomMessage {
        RoomMessage(
            room: room, workspace: WorkspaceID(3), name: "일반",
            body: MessageBody(
                id: ChatID(9), seq: 12, content: content, createdAt: .now, files: [],
                author: MemberView(id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil)),
            session: SessionID(1))
    }

    @Test("A push tells its room as the first generation's app reads it")
    func data() throws {
        let channel = PushMessage(message(RoomID(ChannelID(7)), "안녕"))
        #expect(channel.title == "새싹")
        #expect(channel.text == "안녕")
        #expect(channel.data == ["type": "channel", "workspace_id": "3", "channel_id": "7"])
        let dm = PushMessage(message(RoomID(DMID(7)), "안녕"))
        #expect(dm.data == ["type": "dm", "workspace_id": "3", "opponent_id": "5"])
        #expect(PushMessage(try JSONValue(parsing: dm.encoded())) == dm)
    }

    @Test("A long text is cut between characters")
    func cut() {
        let text = PushMessage(message(RoomID(ChannelID(7)), String(repeating: "👨‍👩‍👧‍👦한", count: 500))).text
        #expect(text.utf8.count <= 1503)
        #expect(text.hasSuffix("…"))
        #expect(text.dropLast().allSatisfy { $0 == "👨‍👩‍👧‍👦" || $0 == "한" })
    }

    @Test("A message of files alone has a text, too")
    func filesOnly() { #expect(!PushMessage(message(RoomID(ChannelID(7)), "")).text.isEmpty) }

    static let answers: [(status: UInt16, code: String?, retryAfter: Duration?, verdict: PushVerdict)] = [
        (200, nil, nil, .sent),
        (404, "UNREGISTERED", nil, .deadToken),
        (403, "SENDER_ID_MISMATCH", nil, .deadToken),
        (400, "INVALID_ARGUMENT", nil, .deadToken),
        (429, "QUOTA_EXCEEDED", .seconds(7), .later(atLeast: .seconds(7))),
        (429, nil, nil, .later(atLeast: .seconds(60))),
        (503, "UNAVAILABLE", .seconds(3), .later(atLeast: .seconds(3))),
        (500, "INTERNAL", nil, .later(atLeast: .seconds(1))),
        (401, "THIRD_PARTY_AUTH_ERROR", nil, .hopeless),
        (401, nil, nil, .unauthorized),
        (418, nil, nil, .hopeless),
    ]

    @Test("Each answer of the provider has its consequence", arguments: answers)
    func verdicts(status: UInt16, code: String?, retryAfter: Duration?, verdict: PushVerdict) {
        let body = code.map { #"{"error":{"code":\#(status),"details":[{"errorCode":"\#($0)"}]}}"# } ?? "<html>"
        #expect(PushVerdict(status: Status(status), retryAfter: retryAfter, body: Array(body.utf8)) == verdict)
    }

    @Test("A message that is not valid for another reason than its token is our fault")
    func invalidMessage() {
        let body =
            #"{"error":{"details":[{"errorCode":"INVALID_ARGUMENT"},{"fieldViolations":[{"field":"message.data"}]}]}}"#
        #expect(PushVerdict(status: Status(400), retryAfter: nil, body: Array(body.utf8)) == .hopeless)
    }
}
