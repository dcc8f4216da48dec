/// The id of a room, which is a channel or a DM. Channels and DMs are numbered by different services, so the kind is
/// part of the id.
public struct RoomID: Hashable, Sendable {
    public enum Kind: UInt8, CaseIterable, Sendable {
        case channel = 1
        case dm = 2
    }

    // In this order the value has nine bytes.
    public let rawValue: Int64
    public let kind: Kind

    public init(kind: Kind, rawValue: Int64) {
        self.kind = kind
        self.rawValue = rawValue
    }

    public init(_ channel: ChannelID) {
        self.init(kind: .channel, rawValue: channel.rawValue)
    }

    public init(_ dm: DMID) {
        self.init(kind: .dm, rawValue: dm.rawValue)
    }

    /// The channel's id; nil if the room is a DM.
    public var channel: ChannelID? { kind == .channel ? ChannelID(rawValue) : nil }

    /// The DM's id; nil if the room is a channel.
    public var dm: DMID? { kind == .dm ? DMID(rawValue) : nil }
}

extension RoomID: Comparable {
    public static func < (left: RoomID, right: RoomID) -> Bool {
        (left.kind.rawValue, left.rawValue) < (right.kind.rawValue, right.rawValue)
    }
}

extension RoomID: LosslessStringConvertible {
    /// Parses the text of ``description``; nil for any other text.
    public init?(_ text: String) {
        self.init(parsing: text.utf8.span)
    }

    /// Parses the same texts as ``init(_:)-(String)``.
    public init?(parsing text: Span<UInt8>) {
        let kind: Kind = text.count > 0 && text[0] == UInt8(ascii: "d") ? .dm : .channel
        let name = kind.prefix
        let prefix = name.utf8.span
        guard text.count > prefix.count else { return nil }
        for index in prefix.indices where text[index] != prefix[index] { return nil }
        guard let id = ID<RoomID>(parsing: text.extracting(prefix.count..<text.count)) else { return nil }
        self.init(kind: kind, rawValue: id.rawValue)
    }

    /// `channel-17` or `dm-17`, as in the names of the clients' namespaces.
    public var description: String { "\(kind.prefix)\(rawValue)" }
}

extension RoomID.Kind {
    fileprivate var prefix: String { self == .dm ? "dm-" : "channel-" }
}
