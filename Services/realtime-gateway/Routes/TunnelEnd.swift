import EventLoop

/// One end of a tunnel: bytes that arrive here leave at the other end, and are read no faster than it takes them.
///
/// - Note: Confined to the loop of both sockets.
final class TunnelEnd: StreamHandler {
    private let own: StreamSocket
    private let other: StreamSocket

    private static let mostWaiting = 64 * 1024

    init(of own: StreamSocket, to other: StreamSocket) {
        self.own = own
        self.other = other
    }

    func received(_ bytes: RawSpan) -> Int {
        bytes.withUnsafeBytes { other.write(Array($0)) }
        other.flush()
        if other.queuedBytes > Self.mostWaiting { own.pauseReading() }
        return bytes.byteCount
    }

    func endOfInput() {
        other.closeAfterFlush()
        own.closeAfterFlush()
    }

    func drained() { other.resumeReading() }

    func closed(_ end: StreamSocket.End) { other.closeAfterFlush() }
}
