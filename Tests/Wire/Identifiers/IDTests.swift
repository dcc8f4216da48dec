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

    @Test("An id is an integer or a string on the wire, and is read as either")
    func json() throws {
        let written = JSONWriter.bytes { json in
            json.object { json in
                json.field("user_id", UserID(7), as: .string)
                json.field("chat_id", ChatID(.max), as: .integer)
                json.array("more") { json in
                    json.value(ChannelID(1), as: .integer)
                    json.value(ChannelID(2), as: .string)
                }
            }
        }
        #expect(
            String(decoding: written, as: UTF8.self)
                == #"{"user_id":"7","chat_id":9223372036854775807,"more":[1,"2"]}"#)
        let read = try JSONValue(parsing: written)
        #expect(read["user_id"]?.id() == UserID(7))
        #expect(read["chat_id"]?.id() == ChatID(.max))
    }

    @Test(
        "No id is read from other JSON",
        arguments: ["null", "true", "1.0", "1e1", "-1", "0", "\"\"", "\" 1\"", "[1]", "{}", "9223372036854775808"])
    func noID(text: String) throws {
        #expect(try JSONValue(parsing: text).id(UserID.self) == nil)
    }

    @Test("A room's text tells its kind and its id")
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

    @Test("No room is read from another text", arguments: ["", "dm", "dm-", "DM-1", "room-1", "17", "dm-1-", "dm--1"])
    func noRoom(text: String) {
        #expect(RoomID(text) == nil)
    }
}
