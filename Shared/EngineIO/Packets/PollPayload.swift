/// Encodes and decodes the packets in the body of a poll.
struct PollPayload: Equatable, Sendable {
    var bytes: [UInt8]
    /// Whether the body is binary, which only version 3 allows.
    var isBinary = false

    /// The largest number of packets in one body; each packet costs work.
    static let maximumPackets = 10_000

    /// Packets in the answer to one poll. The stock client of Python stops polling after an answer with more.
    static let packetsPerAnswer = 16

    /// Encodes packets into one body.
    ///
    /// - Parameter asBinary: in version 3, whether the client accepts binary bodies.
    init(_ packets: [EnginePacket], _ version: EngineVersion, asBinary: Bool) {
        switch version {
        case .v4: bytes = PayloadV4.encode(packets)
        case .v3 where asBinary && packets.contains { $0.isBinary }:
            bytes = BinaryPayloadV3.encode(packets)
            isBinary = true
        case .v3: bytes = PayloadV3.encode(packets)
        }
    }

    init(bytes: [UInt8], isBinary: Bool = false) {
        self.bytes = bytes
        self.isBinary = isBinary
    }

    /// Decodes a body; nil if a packet is malformed or there are too many.
    func packets(_ version: EngineVersion) -> [EnginePacket]? {
        switch (version, isBinary) {
        case (.v4, false): PayloadV4.decode(bytes)
        case (.v4, true): nil
        case (.v3, false): PayloadV3.decode(bytes)
        case (.v3, true): BinaryPayloadV3.decode(bytes)
        }
    }
}
