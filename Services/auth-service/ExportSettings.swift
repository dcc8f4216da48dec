import Contract
import ServiceKit

/// The settings of exports: copies of all data of an account for its owner.
struct ExportSettings: Sendable {
    private static let intervalKey = ConfigKey(
        "export_interval", default: Duration.seconds(86_400), atLeast: .seconds(1),
        "How long an owner waits between two exports.")
    private static let lifetimeKey = ConfigKey(
        "export_lifetime", default: Duration.seconds(7 * 86_400), atLeast: .seconds(60),
        "How long an export can be downloaded. Then its file is erased.")
    private static let sizeKey = ConfigKey(
        "export_size", default: ByteCount(50 << 30), "The largest export; a larger one fails.")
    private static let giveUpKey = ConfigKey(
        "export_patience", default: Duration.seconds(86_400), atLeast: .seconds(60),
        "How long an export is retried before it fails.")

    static let entries = [intervalKey.entry, lifetimeKey.entry, sizeKey.entry, giveUpKey.entry]

    let interval: Duration
    let lifetime: Duration
    /// Bytes.
    let size: Int
    let giveUpAfter: Duration

    init(_ config: Config) {
        interval = config[Self.intervalKey]
        lifetime = config[Self.lifetimeKey]
        size = config[Self.sizeKey].bytes
        giveUpAfter = config[Self.giveUpKey]
    }
}
