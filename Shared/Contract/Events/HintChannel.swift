/// The Redis channels on which services hint at changes. A hint makes others look again at once;
/// nobody relies on it alone.
public enum HintChannel {
    /// Somebody may see more or less of a workspace or a channel.
    public static let access = "invalidate:access"
    /// A profile is another.
    public static let profiles = "invalidate:users"
    /// A session has read a room's history up to somewhere.
    public static let positions = "positions"
}
