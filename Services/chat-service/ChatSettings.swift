import ServiceKit

/// The settings of chat-service beside the common ones.
struct ChatSettings: Sendable {
    private static let fileSizeKey = ConfigKey(
        "file_size", default: ByteCount(10 << 20),
        "The size limit of one file of a message. A message has up to five files.")

    static let entries = [fileSizeKey.entry, SessionCursors.memoryKey.entry]

    /// Bytes.
    let fileSize: Int

    let positionMemory: Duration

    init(_ config: Config) {
        fileSize = config[Self.fileSizeKey].bytes
        positionMemory = config[SessionCursors.memoryKey]
    }
}
