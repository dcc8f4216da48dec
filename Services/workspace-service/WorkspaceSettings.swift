import ServiceKit
import Wire

/// The settings that only this service has.
struct WorkspaceSettings: Sendable {
    private static let priceKey = ConfigKey(
        "workspace_price", default: 10, atLeast: 0, "Coins that a workspace costs; 0 for none.")
    private static let imageSizeKey = ConfigKey(
        "image_size", default: ByteCount(10 << 20), "The largest picture of a workspace or a channel.")
    private static let systemOwnerKey = ConfigKey(
        "system_owner", default: 0, atLeast: 0,
        "The id of the user who owns the workspaces that an API key enters by itself; 0 for nobody.")

    static let entries = [priceKey.entry, imageSizeKey.entry, systemOwnerKey.entry]

    let workspacePrice: Int
    /// Bytes.
    let imageSize: Int
    let systemOwner: UserID?

    init(_ config: Config) {
        workspacePrice = config[Self.priceKey]
        imageSize = config[Self.imageSizeKey].bytes
        systemOwner = config[Self.systemOwnerKey] > 0 ? UserID(Int64(config[Self.systemOwnerKey])) : nil
    }
}
