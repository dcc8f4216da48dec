import EngineIO
import EventLoop

/// Where lies what a delivery to a member looks at, so that a feed can have it fetched some members ahead: thousands of
/// sockets are in no cache, and a feed that waited for the memory of each would mostly wait.
struct DeliveryHint {
    private let member: MemoryHint
    private let engine: MemoryHint
    /// The member's. No reference: to count it means to wait for its memory.
    private let socket: Unmanaged<EngineSocket>

    /// How many members ahead a connection is fetched, and as many before that what leads to it.
    private static let foresight = 12

    init(to member: RoomMember) {
        self.member = MemoryHint(member)
        engine = MemoryHint(member.engine)
        socket = .passUnretained(member.engine)
    }

    /// Fetches what deliveries behind `place` will look at. The members of the hints have to be alive.
    static func lookAhead(from place: Int, in hints: [DeliveryHint]) {
        if place + 2 * foresight < hints.count {
            let hint = hints[place + 2 * foresight]
            hint.member.fetch(RoomMember.deliverySize)
            hint.engine.fetch(EngineSocket.sharingSize)
        }
        if place + foresight < hints.count {
            hints[place + foresight].socket._withUnsafeGuaranteedRef { $0.fetchConnection() }
        }
    }
}
