import Contract
import Wire

extension Samples {
    static let hints: [any Hint] = [
        profileVersion,
        AccessHint(workspace: WorkspaceID(3)),
        AccessHint(workspace: WorkspaceID(3), channel: ChannelID(7), user: UserID(5)),
        HistoryHint(session: SessionID(77), room: RoomID(DMID(4)), seq: 12),
        HistoryHint(session: SessionID(77), room: RoomID(DMID(4)), seq: 12, leftOut: 9...11),
        revocation, BlockHint(user: UserID(5), blocked: UserID(6)), ModerationHint(workspace: WorkspaceID(3)),
        UserStateHint(user: UserID(5), part: .settings, session: SessionID(77)),
        UserStateHint(user: UserID(5), part: .draft, room: RoomID(DMID(4)), session: SessionID(77)),
        PrivateAnswerHint(user: UserID(5), answer: privateAnswer(in: 3)),
        PrivateAnswerHint(user: UserID(5), answer: privateAnswer(in: nil)),
        PresenceHint(loop: "k3x", changes: [PresenceHint.Change(user: UserID(5), state: .away)]),
        DirectoryHint(
            .edited, of: WorkspaceID(3),
            .workspace(
                WorkspaceView(
                    id: WorkspaceID(3), name: "새싹", description: "", image: "/static/a.png", owner: UserID(5),
                    createdAt: Timestamp(milliseconds: 1_700_000_000_123)))),
        DirectoryHint(.gone, of: WorkspaceID(3), .workspace(nil)),
        DirectoryHint(
            .created, of: WorkspaceID(3),
            .channel(
                ChannelID(7),
                ChannelView(
                    workspace: WorkspaceID(3), id: ChannelID(7), name: "일반", description: nil, image: nil,
                    owner: UserID(5), isPrivate: true, createdAt: Timestamp(milliseconds: 1_700_000_000_123)))),
        DirectoryHint(.deleted, of: WorkspaceID(3), .channel(ChannelID(7), nil)),
        DirectoryHint(.entered, of: WorkspaceID(3), .member(UserID(5), of: nil)),
        DirectoryHint(.gone, of: WorkspaceID(3), .member(UserID(5), of: ChannelID(7))),
    ]

    private static func privateAnswer(in thread: Int64?) -> PrivateAnswer {
        PrivateAnswer(
            run: "12", room: RoomID(ChannelID(7)), thread: thread, command: "배포", bot: UserID(9), nickname: "빌드",
            text: "끝")
    }
}
