import Contract
import Wire

extension Samples {
    static let values: [any WireMessage] = mostValues + startValues

    static let startRequests: [any InternalRequest] = [
        MyRoomsRequest(user: UserID(5), profile: "native", channels: [myChannel]),
        StartChannelsRequest(users: [UserID(5), UserID(6)]), StartsRequest(profile: "native", users: [start]),
    ]

    private static let startValues: [any WireMessage] = [
        myRooms, reachableRooms, myRoom, myChannel, start, channelsOfUser, StartChannelsReply(users: [channelsOfUser]),
        StartsReply(
            starts: [.init(user: UserID(5), rooms: myRooms), .init(user: UserID(7), rooms: reachableRooms)],
            left: [UserID(6)]),
        StartsReply.Start(user: UserID(5), rooms: myRooms),
    ]

    private static let start = StartsRequest.User(id: UserID(5), channels: [myChannel])
    private static let channelsOfUser = StartChannelsReply.User(
        id: UserID(5), channels: [myChannel], whollySeen: [WorkspaceID(3)])
    private static let myChannel = MyRoomsRequest.Channel(id: ChannelID(7), workspace: WorkspaceID(3), name: "일반")
    private static let myRooms = MyRoomsReply(
        user: Array("{}".utf8), settings: Array("{}".utf8), rooms: [myRoom])
    private static let reachableRooms = MyRoomsReply(
        user: Array("{}".utf8), settings: Array("{}".utf8), rooms: [myRoom], unavailable: [WorkspaceID(4)])
    private static let myRoom = MyRoomsReply.Room(
        room: RoomID(DMID(4)), workspace: WorkspaceID(3), head: RoomHead(seq: 12, rev: 3), unread: 2,
        summary: Array("{}".utf8))
}
