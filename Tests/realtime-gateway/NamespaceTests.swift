import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Namespaces")
struct NamespaceTests {
    @Test("Only valid namespaces name rooms")
    func rooms() {
        #expect(Namespace.room("/ws-channel-7") == RoomID(ChannelID(7)))
        #expect(Namespace.room("/ws-dm-12") == RoomID(DMID(12)))
        #expect(Namespace.name(of: RoomID(DMID(12))) == "/ws-dm-12")
        #expect(Namespace.event(of: RoomID(ChannelID(7))) == "channel")
        for text in ["/", "/ws-channel-", "/ws-channel-07", "/ws-channel--7", "/ws-dm-1/x", "ws-dm-1", "/ws-room-1"] {
            #expect(Namespace.room(text) == nil)
        }
    }
}
