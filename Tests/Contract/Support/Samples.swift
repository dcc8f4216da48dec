import Contract
import Telemetry
import Wire

/// One sample or several of every message. A type needs one sample with all its members, and one without each optional
/// member.
enum Samples {
    static let facts: [any Fact] =
        account.map { $0 as any Fact } + workspace.map { $0 as any Fact } + payment.map { $0 as any Fact }

    static let account: [AccountFact] = [
        .userChanged(profileVersion), .userDeleted(deletion), .signedIn(act), .secondFactorChanged(factor),
        .exportRequested(act),
    ]

    static let workspace: [WorkspaceFact] = [
        .workspaceChanged(workspaceVersion), .workspaceDeleted(workspaceVersion),
        .memberAdded(workspaceMembership), .memberRemoved(workspaceMembership),
        .channelCreated(channelVersion), .channelChanged(channelVersion), .channelDeleted(channelVersion),
        .channelMemberAdded(channelMembership), .channelMemberRemoved(channelMembership),
        .captureCoins(order), .invitationMailed(invitation),
    ]

    static let payment: [PaymentFact] = [.balanceChanged(walletVersion)]

    static let badge = BadgesReply.Badge(user: UserID(5), unread: 3, mentions: 1)

    static let events: [RoomEvent] = [
        .message(
            RoomMessage(
                room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "일반", body: body, session: SessionID(77),
                trace: TraceContext(
                    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".utf8.span))),
        .message(
            RoomMessage(
                room: RoomID(DMID(7)), workspace: WorkspaceID(3), name: nil,
                body: MessageBody(
                    id: ChatID(992), seq: 13, content: "", createdAt: Timestamp(milliseconds: 0), files: [],
                    author: member),
                session: SessionID(77))),
        .message(changed),
        .changed(RoomChange(changed, revs: [4, 9])),
        .changed(RoomChange(deleted)), .changed(RoomChange(deleted, revs: [9], othersAfter: 4)),
        .changed(RoomChange(scheduledReply)),
        .removed(room: RoomID(ChannelID(7)), after: 12, user: UserID(5)),
        .message(scheduledReply),
        .closed(room: RoomID(DMID(9)), after: 0),
        .read(
            RoomRead(
                room: RoomID(DMID(9)), user: UserID(5), seq: 12, unread: 3, mentions: 1, audience: .nobody)),
        .read(
            RoomRead(
                room: RoomID(ChannelID(7)), user: UserID(5), seq: 12, unread: 0, mentions: 0,
                audience: .members(except: [UserID(6)]))),
        .typing(room: RoomID(ChannelID(7)), user: UserID(5), thread: nil),
        .typing(room: RoomID(ChannelID(7)), user: UserID(5), thread: 3),
    ]

    static let mostRequests: [any InternalRequest] = [
        KeysRequest(), ProfilesRequest(users: users), ProfilesByEmailRequest(emails: ["a+b@b.kr"]),
        DevicesRequest(users: users), PruneDeviceRequest(token: "token"),
        RevocationsRequest(since: Timestamp(milliseconds: 1_700_000_000_123)),
        AccessRequest(user: UserID(5), channels: [ChannelID(7)], workspaces: [WorkspaceID(3)]),
        ChannelByNameRequest(workspace: WorkspaceID(3), name: "일반 & more?", user: UserID(5)),
        JoinChannelRequest(channel: ChannelID(7), user: UserID(5)),
        ChannelMembersRequest(channel: ChannelID(7), page: MembersPage(after: UserID(5))),
        ChannelMembersRequest(channel: ChannelID(7), page: MembersPage(limit: 1)),
        WorkspaceMembersRequest(workspace: WorkspaceID(3), page: MembersPage(after: UserID(5))),
        WorkspaceMembersRequest(workspace: WorkspaceID(3), page: MembersPage(limit: 1)),
        WorkspaceMembersRequest(workspace: WorkspaceID(3), page: MembersPage(limit: 1), seenBy: UserID(5)),
        UserChannelsRequest(user: UserID(5), workspace: WorkspaceID(3)),
        UserChannelsRequest(user: UserID(5), workspace: nil),
        VisibleChannelsRequest(workspace: WorkspaceID(3), user: UserID(5)),
        LockOutRequest(user: UserID(5), channels: [ChannelID(7)], workspaces: [WorkspaceID(3)]),
        AcquaintancesRequest(user: UserID(5), others: users),
        AcquaintancesRequest(user: UserID(5), others: users, workspace: WorkspaceID(3)),
        AuditRequest(workspace: WorkspaceID(3), key: "chat-1", at: Timestamp(milliseconds: 9), event: event),
        AuditRequest(
            workspace: WorkspaceID(3), key: "chat-2", at: Timestamp(milliseconds: 9),
            event: AuditEvent(.exported, by: nil)),
        AuditRequest(
            workspace: WorkspaceID(3), key: "chat-3", at: Timestamp(milliseconds: 9),
            event: AuditEvent(
                .exported, by: UserID(5), from: AuditOrigin(address: "10.0.0.1", app: "native", session: nil))),
        OperatorActRequest(operatorAct), OperatorActRequest(operatorAct.ended("E13", at: Timestamp(milliseconds: 10))),
        InvitationMailRequest(invitation: InvitationID(6)), MailStatusRequest(),
        AutoJoinRequest(user: UserID(5), slugs: ["lobby"]), SharedWorkspacesRequest(user: UserID(5)),
        RoomEventsRequest(room: RoomID(ChannelID(7)), after: 12, limit: 100, bytes: 4096),
        RoomEventsRequest(room: RoomID(DMID(7)), after: 0, limit: 500, bytes: nil),
        RoomChangesRequest(room: RoomID(ChannelID(7)), after: 4, limit: 100),
        RoomHeadsRequest(rooms: [RoomID(ChannelID(7)), RoomID(DMID(7))]),
        HistoryCursorRequest(session: SessionID(77), room: RoomID(DMID(4))),
        DMAccessRequest(user: UserID(5), rooms: [DMID(4)]), MembershipsRequest(users: users),
        PushDecisionsRequest(room: RoomID(DMID(4)), seq: 12, users: users, badges: [UserID(6)]),
        PresentMembersRequest(room: RoomID(ChannelID(7)), users: users),
        MeSendRequest(caller: me, room: RoomID(DMID(4)), content: "안녕", clientID: "c-1", thread: 3, toRoom: true),
        MeSendRequest(caller: me, room: RoomID(DMID(4)), content: "", clientID: "c-1"),
        MeReadRequest(caller: me, room: RoomID(DMID(4)), seq: 12, thread: 3),
        MeReadRequest(caller: me, room: RoomID(DMID(4)), seq: 12),
        MeHistoryRequest(caller: me, room: RoomID(DMID(4)), anchor: .beforeSeq(9), limit: 50),
        MeHistoryRequest(caller: me, room: RoomID(DMID(4)), anchor: .afterSeq(9), limit: 50),
        MeHistoryRequest(caller: me, room: RoomID(DMID(4)), anchor: .afterRev(9), limit: 50),
        ExportPageRequest(user: UserID(5), cursor: nil), OwnerRequest(workspace: WorkspaceID(3)),
        ExportPageRequest(user: UserID(5), cursor: "rooms:dm-7:files:a"),
        ExportFileRequest(user: UserID(5), name: "channelChats/a.png", offset: 1 << 20),
        PicturePieceRequest(path: "/static/profiles/a.png", offset: 1 << 20),
        ErasedRequest(user: UserID(5), part: .chat, round: 2), ErasureRequest(user: UserID(5)),
        BlocksRequest(users: users), BadgesRequest(users: users), SecondFactorsRequest(users: users),
        DisabledRequest(users: users), WritersRequest(workspace: WorkspaceID(3), users: users),
        NoticeRequest(user: UserID(5), kind: .webhookOff, detail: "a.example"),
        NoticeRequest(user: UserID(5), kind: .secondFactorRequired, detail: "", due: body.createdAt, key: "k"),
        BotRequest(workspace: WorkspaceID(3), key: "webhook-7", nickname: "빌드"),
        ModerationRemovalRequest(workspace: WorkspaceID(3), user: UserID(5), by: nil),
        ModerationRemovalRequest(workspace: WorkspaceID(3), user: UserID(5), by: UserID(6)),
        BalancesRequest(users: users), ReserveRequest(order: order), ReleaseRequest(key: "workspace/1 ü"),
    ]

    /// The replies, and the values inside of messages.
    static let mostValues: [any WireMessage] = [
        EmptyReply(), BotReply(user: UserID(9)), botIdentity, BotTokensReply(tokens: botTokens), botTokens[0],
        botTokens[1], keys, ProfilesReply(profiles: profiles), profiles[0],
        ProfilesByEmailReply(
            matches: [match, ProfilesByEmailReply.Match(profile: profiles[1], asked: "a@b.kr")]),
        match, DevicesReply(devices: [device, nativeDevice]), device, nativeDevice,
        MembershipsReply(memberships: [membership]), membership,
        PushDecisionsReply(groups: [pushGroup], badges: [pushBadge], content: "안녕"),
        PushDecisionsReply(groups: [], badges: []), pushGroup, pushBadge,
        RevocationsReply(now: Timestamp(milliseconds: 9), revocations: [revocation]),
        AccessReply(channels: [channelAccess, visibleChannel], workspaces: [workspaceAccess]), channelAccess,
        visibleChannel, workspaceAccess,
        UserChannelsReply(channels: [channelAccess]), UserChannelsReply(channels: [visibleChannel]),
        MembersReply(users: users, next: UserID(6)), MembersReply(users: [], next: nil),
        UsersReply(users: users),
        RoomEventsReply(isComplete: false, head: 20, end: 13, events: events),
        RoomChangesReply(rev: 9, head: 12, events: [events[3]]), RoomHeadsReply(heads: [head]),
        RoomHeadsReply(heads: [], lost: [RoomID(DMID(5))]), head,
        HistoryCursorReply(seq: 12), DMAccessReply(dms: [dm]), dm,
        MeReply(result: Array("{}".utf8)),
        BalancesReply(balances: [balance]), balance, ReserveReply(key: "k", balance: 70),
        ReserveStateReply(state: .released), order, walletVersion, workspaceVersion, workspaceMembership,
        channelVersion, channelMembership, deletion,
        ErasureReply(requestedAt: Timestamp(milliseconds: 8), erasedAt: nil, waiting: ["chat"], addresses: ["a@b.kr"]),
        ErasureReply(
            requestedAt: Timestamp(milliseconds: 8), erasedAt: Timestamp(milliseconds: 9), waiting: [], addresses: []),
        act, MailStatusReply(isSetUp: true), invitation, invitationMail,
        InvitationMail(
            recipient: "a@b.kr", language: nil, seed: [], workspace: "n", inviter: "", link: "",
            expiresAt: Timestamp(milliseconds: 9)),
        ExportPage(sections: [section], files: ["channelChats/a.png"], next: "rooms:dm-7:files:a"),
        ExportPage(sections: [], files: [], next: nil), section, ExportFilePiece(bytes: [1, 2, 255], size: 3),
        factor, OwnerReply(user: UserID(5), name: "회사 \"1\"", image: "/static/w.png"), OwnerReply(user: nil),
        LockOutReply(workspaces: [WorkspaceID(3)]),
        BlocksReply(blocks: [blocks]), blocks, BadgesReply(badges: [badge], isPartial: true), badge,
        BadgesReply(badges: []), PresenceHint.Change(user: UserID(5), state: .away),
        SharedWorkspacesReply(workspaces: [WorkspaceID(3)]),
    ]

    private static let section = ExportPage.Section(
        name: "messages", records: [Array("{}".utf8), Array("{}".utf8)])
    private static let users = [UserID(5), UserID(6)]
    private static let member = MemberView(id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: nil)
    private static let body = MessageBody(
        id: ChatID(991), seq: 12, content: "안녕 \"you\"\n\u{1F600}",
        createdAt: Timestamp(milliseconds: 1_700_000_000_123),
        files: ["/static/channelChats/a_1.jpg"],
        author: MemberView(
            id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: "/static/profiles/1.png", isBot: true),
        clientID: "c-1")
    private static let changed = RoomMessage(
        room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "일반",
        body: MessageBody(
            id: ChatID(991), seq: 12, content: "now", createdAt: Timestamp(milliseconds: 1_700_000_000_123),
            files: ["/static/channelChats/a_1.jpg"],
            author: MemberView(
                id: UserID(5), email: "a@b.kr", nickname: "새싹", profileImage: "/static/profiles/1.png", isBot: true),
            clientID: "c-1",
            traits: MessageTraits(thread: ReplyThread(root: 3, isInTimeline: false)),
            revision: MessageRevision(
                rev: 9, editedAt: Timestamp(milliseconds: 1_700_000_000_456),
                pin: MessagePin(at: Timestamp(milliseconds: 1_700_000_000_789), by: UserID(6)),
                reactions: [MessageReaction(emoji: "👍🏽", count: 21, users: [UserID(5), UserID(6)])])),
        session: SessionID(77))
    private static let scheduledReply = RoomMessage(
        room: RoomID(DMID(7)), workspace: WorkspaceID(3), name: nil,
        body: MessageBody(
            id: ChatID(994), seq: 15, content: "@channel @here <@6> <@7>", createdAt: Timestamp(milliseconds: 9),
            files: ["/static/dmChats/image_1.jpg", "/static/dmChats/wave_2.gif"],
            author: member,
            traits: MessageTraits(
                thread: ReplyThread(root: 12, isInTimeline: true),
                mentions: [.room, .here, .user(UserID(6), nickname: "민지"), .user(UserID(7), nickname: nil)],
                isScheduled: true,
                previews: [
                    FilePreview(
                        file: "/static/dmChats/image_1.jpg", width: 3024, height: 4032, isAnimated: false,
                        blur: "LEHV6nWB2yk8pyo0adR*.7kCMdnj"),
                    FilePreview(
                        file: "/static/dmChats/wave_2.gif", width: 1, height: 2, isAnimated: true, blur: "00OZZy"),
                ]),
            revision: MessageRevision(
                rev: 11,
                replies: RepliesSummary(
                    count: 7, lastAt: Timestamp(milliseconds: 9), users: [UserID(6), UserID(5)]))),
        session: SessionID(77))
    private static let deleted = RoomMessage(
        room: RoomID(DMID(7)), workspace: WorkspaceID(3), name: nil,
        body: MessageBody(
            id: ChatID(992), seq: 13, content: "", createdAt: Timestamp(milliseconds: 0), files: [], author: member,
            revision: MessageRevision(rev: 1, deletedAt: Timestamp(milliseconds: 5))),
        session: SessionID(77))
    static let profileVersion = ProfileVersion(user: UserID(5), version: 3)
    private static let deletion = UserDeletion(user: UserID(5), round: 1, deletesMessages: true)
    private static let blocks = AuthClient.Blocks(
        user: UserID(5), blocked: [UserID(6)], blockers: [UserID(7)])
    private static let walletVersion = WalletVersion(user: UserID(5), balance: 90, version: 2)
    private static let workspaceVersion = WorkspaceVersion(workspace: WorkspaceID(3), version: 8)
    private static let workspaceMembership = WorkspaceMembership(workspace: workspaceVersion, user: UserID(5))
    private static let channelVersion = ChannelVersion(
        workspace: workspaceVersion, channel: ChannelID(7), name: "일반")
    private static let channelMembership = ChannelMembership(channel: channelVersion, user: UserID(5))
    static let revocation = Revocation(
        session: SessionID(77), user: UserID(5), at: Timestamp(milliseconds: 1_700_000_000_123))
    private static let profiles = [
        AuthClient.Profile(
            member: MemberView(
                id: UserID(6), email: "c@d.kr", nickname: "n", profileImage: "/static/profiles/1.png", isBot: true),
            version: 2),
        AuthClient.Profile(member: member, version: 1),
    ]
    private static let match = ProfilesByEmailReply.Match(profile: profiles[0], asked: "C@d.kr")
    private static let device = AuthClient.Device(user: UserID(5), token: "token")
    private static let membership = MembershipsReply.Membership(user: UserID(5), channels: [ChannelID(7)])
    private static let pushGroup = PushDecisionsReply.Group(reason: .mentionsOnly, users: users)
    private static let pushBadge = PushDecisionsReply.Badge(user: UserID(6), count: 3)
    private static let channelAccess = ChannelAccess(
        id: ChannelID(7), workspace: WorkspaceID(3), name: "일반", role: .member, isDefault: true, version: 8,
        joinedAt: Timestamp(milliseconds: 1_700_000_000_123))
    private static let visibleChannel = ChannelAccess(
        id: ChannelID(8), workspace: WorkspaceID(3), name: "잡담", role: .visible, isDefault: false, version: 8)
    private static let workspaceAccess = WorkspaceAccess(
        id: WorkspaceID(3), memberRole: .admin, isModerator: true, version: 8)
    private static let factor = SecondFactorChange(user: UserID(5), isOn: true, version: 3)
    private static let act = AccountAct(
        user: UserID(5), at: Timestamp(milliseconds: 9), address: "10.0.0.1", app: "native")
    private static let invitation = InvitationReference(workspace: workspaceVersion, invitation: InvitationID(6))
    private static let dm = DMAccess(id: DMID(4), workspace: WorkspaceID(3), users: users, isOpen: true)
    private static let me = MeCaller(user: UserID(5), session: SessionID(77), profile: "native")
    private static let balance = BalancesReply.Balance(user: UserID(5), balance: 90)
}
