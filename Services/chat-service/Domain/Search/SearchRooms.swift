import Contract
import Wire

/// The rooms of a workspace that a user may read, read once for a search.
struct SearchRooms: Sendable {
    let channels: [ChannelAccess]
    let dms: [DM]

    /// The rooms that a search looks in, with the names of channels; nil for a DM.
    func names(_ filters: SearchRequest.Filters) -> [RoomID: String?] {
        let channels = channels.map { ($0.room, Optional($0.name)) }
        let dms = dms.map { ($0.room, String?.none) }
        return Dictionary((channels + dms).filter { filters.allow($0.0) }) { first, _ in first }
    }
}
