import Wire

/// A channel as a path names it: by id, or by name in the first generation.
enum ChannelReference: Sendable {
    case id(ChannelID)
    case name(String)
}
