import ServiceKit

/// The settings that only this service has.
struct ChatSettings: Sendable {
    private static let fileSizeKey = ConfigKey(
        "file_size", default: ByteCount(10 << 20), "The largest file of a message; there are up to five.")

    static let entries = [fileSizeKey.entry, SessionCursors.memoryKey.entry]

    /// Bytes.
    let fileSize: Int

    let positionMemory: Duration

    init(_ config: Config) {
        fileSize = config[Self.fileSizeKey].bytes
        positionMemory = config[SessionCursors.memoryKey]
    }
}
