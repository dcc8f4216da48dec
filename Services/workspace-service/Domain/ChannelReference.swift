import Wire

/// How clients point at a channel: by its id, or in the first generation by its name.
enum ChannelReference: Sendable, Equatable {
    case id(ChannelID)
    case name(String)
}
