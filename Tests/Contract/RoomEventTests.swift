import Contract
import Testing
import Wire

@Suite("Room events")
struct RoomEventTests {
    @Test(
        "JSON that is not a room event is refused",
        arguments: [
            "{}", "[]", #"{"type":"message","room":"channel-7"}"#,
            #"{"type":"removed","room":"7","after":1,"user_id":"5"}"#,
            #"{"type":"closed","room":"dm-9","after":"1"}"#,
        ])
    func refusals(text: String) throws { #expect(RoomEvent(try JSONValue(parsing: text)) == nil) }
}
