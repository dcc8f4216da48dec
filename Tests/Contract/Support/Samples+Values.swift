import Contract
import Wire

extension Samples {
    static let invitationMail = InvitationMail(
        recipient: "a@b.kr", language: "ko", seed: [1, 2, 255], workspace: "새싹", inviter: "n",
        link: "https://chat.example.com/#invitation=", expiresAt: Timestamp(milliseconds: 9))
    static let event = AuditEvent(
        .messageDeleted, by: UserID(5), to: UserID(6), subject: "channel-7/12", detail: ["report": "4"],
        from: AuditOrigin(address: "10.0.0.1", app: "native", session: SessionID(77)))
    static let head = RoomHeadsReply.Head(room: RoomID(DMID(4)), seq: 12, rev: 3)
    static let order = SpendOrder(key: "workspace/1", user: UserID(5), amount: 10, reason: "a workspace")
    static let nativeDevice = AuthClient.Device(user: UserID(6), token: "other", profile: "native")
    static let keys: KeysReply = {
        let text = #"{"keys":[{"kty":"EC","kid":"1","crv":"P-256","x":"a","y":"b"}]}"#
        guard let json = try? JSONValue(parsing: text), let keys = KeysReply(json) else {
            preconditionFailure("the sample of keys is not valid")
        }
        return keys
    }()
}
