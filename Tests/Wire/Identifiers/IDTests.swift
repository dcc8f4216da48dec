import Testing
import Wire

@Suite("Ids")
struct IDTests {
    @Test("An id has one decimal text", arguments: [1, 9, 10, 1234, Int64.max - 1, .max])
    func text(rawValue: Int64) {
        #expect(UserID("\(rawValue)") == UserID(rawValue))
        #expect(UserID(rawValue).description == "\(rawValue)")
    }

    @Test(
        "An id that cannot exist is refused",
        arguments: [
            "", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x1", "٣", "a", "9223372036854775808",
            "18446744073709551617", "99999999999999999999",
        ])
    func impossible(text: String) {
        #expect(UserID(text) == nil)
        #expect(RoomID("channel-\(text)") == nil)
    }

    @Test("A room's text gives its kind and its id")
    func rooms() {
        let channel = RoomID(ChannelID(17))
        let dm = RoomID(DMID(17))
        #expect(channel != dm)
        #expect(channel.description == "channel-17")
        #expect(dm.description == "dm-17")
        #expect(RoomID("channel-17") == channel)
        #expect(RoomID("dm-17") == dm)
        #expect(channel.channel == ChannelID(17))
        #expect(channel.dm == nil)
        #expect(dm.dm == DMID(17))
        #expect(channel < dm)
    }

    @Test("No other text is a room", arguments: ["", "dm", "dm-", "DM-1", "room-1", "17", "dm-1-", "dm--1"])
    func noRoom(text: String) {
        #expect(RoomID(text) == nil)
    }
}
