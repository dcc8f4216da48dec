/// The kind of a frame (RFC 6455 §5.2), without the reserved values.
enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames are short, never fragmented, and may arrive between the fragments of a message.
    var isControl: Bool { rawValue & 0x8 != 0 }
}
