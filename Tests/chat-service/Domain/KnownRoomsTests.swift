import Testing
import Wire

@testable import chat_service

@Suite("Rooms that are known to have a row")
struct KnownRoomsTests {
    private let rooms = (1...4).map { RoomID(ChannelID($0)) }

    @Test("A room is known once a message of it was written, and others are not")
    func known() {
        var known = KnownRooms(limit: 3)
        known.insert(rooms[0..<2])
        #expect(rooms.map(known.contains) == [true, true, false, false])
        #expect(!known.contains(RoomID(DMID(1))))
    }

    @Test("Beyond the limit all rooms are forgotten, and can be known again")
    func limit() {
        var known = KnownRooms(limit: 3)
        known.insert(rooms[0..<3])
        #expect(known.contains(rooms[0]))
        known.insert(rooms[3...])
        #expect(!rooms.contains(where: known.contains))
        known.insert(rooms[0..<1])
        #expect(known.contains(rooms[0]))
    }
}
