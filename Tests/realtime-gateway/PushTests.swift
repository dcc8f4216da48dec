import Contract
import HTTP
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pushes")
struct PushTests {
    private func message(_ room: RoomID, nickname: String = "새싹", seq: Int64 = 12) -> RoomMessage {
        RoomMessage(
            room: room, workspace: WorkspaceID(3), name: "일반",
            body: MessageBody(
                id: ChatID(9), seq: seq, content: "", createdAt: .now, files: [],
                author: MemberView(id: UserID(5), email: "a@b.kr", nickname: nickname, profileImage: nil)),
            session: SessionID(1))
    }

    @Test("A push names its room as apps of the first generation read it")
    func data() throws {
        let channel = PushMessage(message(RoomID(ChannelID(7))), content: "안녕")
        #expect(channel.title == "새싹")
        #expect(channel.text == "안녕")
        #expect(channel.data == ["type": "channel", "workspace_id": "3", "channel_id": "7"])
        let dm = PushMessage(message(RoomID(DMID(7))), content: "안녕")
        #expect(dm.data == ["type": "dm", "workspace_id": "3", "opponent_id": "5"])
        #expect(PushMessage(try JSONValue(parsing: dm.encoded())) == dm)
    }

    @Test("A long text is cut between characters")
    func cut() {
        let content = String(repeating: "👨‍👩‍👧‍👦한", count: 500)
        let text = PushMessage(message(RoomID(ChannelID(7))), content: content).text
        #expect(text.utf8.count <= 1503)
        #expect(text.hasSuffix("…"))
        #expect(text.dropLast().allSatisfy { $0 == "👨‍👩‍👧‍👦" || $0 == "한" })
    }

    @Test(
        "A push stays within 4 KiB for any name and text",
        arguments: [
            "a", "한", "\u{1}", "\u{1F}", "\"", "\\", "\n", "\r\n", "👨‍👩‍👧‍👦",
            "e" + String(repeating: "\u{301}", count: 900),
        ])
    func size(_ character: String) throws {
        for count in [0, 1, 100, 249, 250, 251, 1497, 1500, 6000] {
            let text = String(repeating: character, count: count)
            let nickname = String(repeating: character, count: 30)
            let push = PushMessage(message(RoomID(ChannelID(.max)), nickname: nickname, seq: .max), content: text)
            let body = FCM.body(push, String(repeating: "d", count: 1024))
            #expect(body.count < 4096, "\(count)")
            let told = try JSONValue(parsing: body)["message"]?["notification"]
            #expect(told?["title"]?.string == push.title && told?["body"]?.string == push.text)
            for (shown, said) in [(push.title, nickname), (push.text, text)] where !said.isEmpty {
                #expect(shown == said || shown.hasSuffix("…") && said.hasPrefix(shown.dropLast()))
            }
        }
    }

    @Test("A message with files only has a notification text")
    func filesOnly() { #expect(!PushMessage(message(RoomID(ChannelID(7))), content: "").text.isEmpty) }

    static let answers: [(status: UInt16, code: String?, retryAfter: Duration?, verdict: PushVerdict)] = [
        (200, nil, nil, .sent),
        (404, "UNREGISTERED", nil, .deadToken),
        (403, "SENDER_ID_MISMATCH", nil, .otherProject),
        (400, "INVALID_ARGUMENT", nil, .hopeless),
        (429, "QUOTA_EXCEEDED", .seconds(7), .later(atLeast: .seconds(7))),
        (429, nil, nil, .later(atLeast: .seconds(60))),
        (503, "UNAVAILABLE", .seconds(3), .later(atLeast: .seconds(3))),
        (500, "INTERNAL", nil, .later(atLeast: .seconds(1))),
        (401, "THIRD_PARTY_AUTH_ERROR", nil, .hopeless),
        (401, nil, nil, .unauthorized),
        (418, nil, nil, .hopeless),
    ]

    @Test("Each answer of the provider leads to its outcome", arguments: answers)
    func verdicts(status: UInt16, code: String?, retryAfter: Duration?, verdict: PushVerdict) {
        let body = code.map { #"{"error":{"code":\#(status),"details":[{"errorCode":"\#($0)"}]}}"# } ?? "<html>"
        #expect(PushVerdict(status: Status(status), retryAfter: retryAfter, body: Array(body.utf8)) == verdict)
    }

    static let invalid: [(message: String, field: String?, verdict: PushVerdict)] = [
        ("Request contains an invalid argument.", "message.token", .deadToken),
        ("The registration token is not a valid FCM registration token", nil, .deadToken),
        ("Request contains an invalid argument.", "message.data", .hopeless),
        ("Invalid data payload key", "message.data[0].key", .hopeless),
        ("Message is too big", nil, .hopeless),
        ("Request contains an invalid argument.", nil, .hopeless),
    ]

    @Test("An invalid push is our fault, unless the provider names the token", arguments: invalid)
    func invalidMessage(message: String, field: String?, verdict: PushVerdict) {
        let violation = field.map { #",{"fieldViolations":[{"field":"\#($0)"}]}"# } ?? ""
        let body = #"{"error":{"message":"\#(message)","details":[{"errorCode":"INVALID_ARGUMENT"}\#(violation)]}}"#
        #expect(PushVerdict(status: Status(400), retryAfter: nil, body: Array(body.utf8)) == verdict)
    }

    @Test("A push is retried until it is a day old, with pauses of up to ten minutes, and never before Retry-After")
    func patience() {
        func wait(_ attempts: Int, _ atLeast: Duration, age: Duration = .zero, _ jitter: Double = 1) -> Duration? {
            PushRetryPolicy.wait(after: attempts, atLeast: atLeast, age: age, jitter: jitter)
        }
        #expect(wait(1, .seconds(1), 0) == .seconds(1))
        #expect(wait(1, .seconds(1)) == .seconds(3))
        #expect(wait(3, .seconds(10), 0.5) == .seconds(14))
        for attempts in [10, 11, 100, .max] { #expect(wait(attempts, .seconds(1)) == .seconds(600)) }
        #expect(wait(1, .seconds(3600)) == .seconds(3600))
        #expect(wait(50, .seconds(1), age: .seconds(85_000)) == .seconds(600))
        #expect(wait(1, .seconds(1), age: .seconds(86_400)) == nil)
        // Nobody wants it once that time has come.
        #expect(wait(1, .seconds(7200), age: .seconds(80_000)) == nil)
        #expect(wait(1, .seconds(Int64(UInt32.max))) == nil)
    }
}
