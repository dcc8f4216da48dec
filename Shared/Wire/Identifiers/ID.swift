/// The id of a `Subject`: a 64-bit integer from an identity column, so 1 or more. Ids of different subjects do not mix.
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
    /// Reads the one decimal text that an id has; `nil` for every id that cannot exist, such as `0`, `-1`, `+1`,
    /// `01` and what 64 bits cannot hold.
    @inlinable
    public init?(_ text: String) {
        self.init(parsing: text.utf8.span)
    }

    /// Reads what ``init(_:)-(String)`` reads.
    @inlinable
    public init?(parsing text: Span<UInt8>) {
        guard let rawValue = Decimal.positive(text) else { return nil }
        self.rawValue = rawValue
    }

    @inlinable
    public var description: String { rawValue.description }
}

/// Who the ids of this product belong to.
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
