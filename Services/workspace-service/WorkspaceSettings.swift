import ServiceKit

/// The settings that only this service has.
struct WorkspaceSettings: Sendable {
    private static let priceKey = ConfigKey("workspace_price", default: 10, "Coins that a workspace costs; 0 for none.")
    private static let imageSizeKey = ConfigKey(
        "image_size", default: ByteCount(10 << 20), "The largest picture of a workspace or a channel.")

    static let entries = [priceKey.entry, imageSizeKey.entry]

    let workspacePrice: Int
    /// Bytes.
    let imageSize: Int

    init(_ config: Config) {
        workspacePrice = config[Self.priceKey]
        imageSize = config[Self.imageSizeKey].bytes
    }
}
