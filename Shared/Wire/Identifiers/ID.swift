/// The id of a `Subject`: a 64-bit integer of 1 or more, from an identity column. Ids of different subjects are
/// different types.
public struct ID<Subject>: Hashable, Sendable {
    public let rawValue: Int64

    @inlinable
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }
}

extension ID: Comparable {
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ID: LosslessStringConvertible {
    /// Parses the canonical decimal text of an id; nil for any other text, such as `0`, `-1`, `+1`, `01` or a number of
    /// more than 64 bits.
    @inlinable
    public init?(_ text: String) {
        self.init(parsing: text.utf8.span)
    }

    /// Parses the same texts as ``init(_:)-(String)``.
    @inlinable
    public init?(parsing text: Span<UInt8>) {
        guard let rawValue = Decimal.positive(text) else { return nil }
        self.rawValue = rawValue
    }

    @inlinable
    public var description: String { rawValue.description }
}

/// The subjects of this product's ids.
public enum IDSubject {
    public enum User {}
    public enum Session {}
    public enum Workspace {}
    public enum Channel {}
    public enum DM {}
    public enum Chat {}
}

public typealias UserID = ID<IDSubject.User>
public typealias SessionID = ID<IDSubject.Session>
public typealias WorkspaceID = ID<IDSubject.Workspace>
public typealias ChannelID = ID<IDSubject.Channel>
public typealias DMID = ID<IDSubject.DM>
/// A message of a channel or a DM.
public typealias ChatID = ID<IDSubject.Chat>
