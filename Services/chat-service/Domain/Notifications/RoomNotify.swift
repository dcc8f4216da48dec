import Wire

/// The pushes that a member wants of a room. Unread counts go on in any case.
struct RoomNotify: Sendable, Equatable {
    /// The messages that are pushed. The raw value is stored.
    enum Level: Int16, Sendable, CaseIterable {
        case all = 1
        case mentions, none

        /// As clients write it.
        init?(_ text: String) {
            guard let level = Self.allCases.first(where: { $0.text == text }) else { return nil }
            self = level
        }

        var text: String {
            switch self {
            case .all: "all"
            case .mentions: "mentions"
            case .none: "none"
            }
        }
    }

    var level = Level.all
    /// Nothing is pushed before this time; nil for a room that is not muted.
    var mutedUntil: Timestamp?

    /// Whether the room is muted at a moment.
    func isMuted(at now: Timestamp) -> Bool { mutedUntil.map { now < $0 } ?? false }
}
