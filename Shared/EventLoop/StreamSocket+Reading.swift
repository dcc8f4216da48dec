internal import Glibc

extension StreamSocket {
    /// Leaves bytes in the kernel until `resumeReading`: backpressure on the peer.
    public func pauseReading() {
        input.isPaused = true
        input.isYielding = false
    }

    /// Whether nothing is read until `resumeReading`.
    public var isReadingPaused: Bool { input.isPaused && !input.isYielding }

    /// Offers the bytes that are not consumed again in the loop's next turn, after the other sockets, and reads nothing
    /// before. For handlers that work long on the next bytes.
    public func yieldReading() {
        input.isPaused = true
        input.isYielding = true
        continueNextTurn()
    }

    /// Whether the peer has ended or reset the connection, even if bytes of it have not been read.
    public var peerHasEnded: Bool { input.endIsComing || input.hasSeenEnd }

    /// Reads again, and first offers the bytes that were not consumed.
    public func resumeReading() {
        guard input.isPaused, !isClosed else { return }
        takeUnread()
    }

    /// Offers the bytes that were not consumed once more, and resumes reading if it is paused.
    public func takeUnread() {
        guard !isClosed else { return }
        input.isPaused = false
        input.isYielding = false
        offerUnread()
        guard !isClosed, !input.isPaused else { return }
        if input.hasSeenEnd {
            handler?.endOfInput()
        } else if input.isReady {
            continueNextTurn()
        }
    }

    /// Reads from the kernel now, without waiting for the loop's next turn.
    public func readNow() {
        if !isClosed && !input.isPaused { read() }
    }

    /// Bytes that were read and that the handler has not consumed.
    public var unreadCount: Int { input.unread.count }

    /// Reads once; the remaining bytes come in the loop's next turn, after the other sockets.
    func read() {
        guard !input.hasSeenEnd else { return }
        let target = loop.buffers.input
        let count = recv(descriptor, target.baseAddress!, target.count, 0)
        if count > 0 {
            // A short read has emptied the kernel's buffer: the next bytes are an event, but an end after them is not.
            input.isReady = count == target.count || input.endIsComing
            received(UnsafeRawBufferPointer(rebasing: target[..<count]))
            if input.isReady && !input.isPaused && !isClosed { continueNextTurn() }
        } else if count == 0 {
            input.isReady = false
            input.hasSeenEnd = true
            handler?.endOfInput()
        } else if errno == EAGAIN {
            input.isReady = false
        } else if errno != EINTR {
            finish(errno == ECONNRESET || errno == EPIPE ? .peer : .failed(errno))
        } else {
            continueNextTurn()
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        guard input.unread.isEmpty else {
            input.unread.append(bytes)
            return offerUnread()
        }
        let consumed = handler?.received(bytes.bytes) ?? bytes.count
        if consumed < bytes.count && !isClosed {
            input.unread.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
        }
    }

    private func offerUnread() {
        guard !input.unread.isEmpty, !input.isPaused, let handler else { return }
        var bytes = UnreadBytes()
        swap(&bytes, &input.unread)
        bytes.consume(bytes.withBytes(handler.received))
        guard !isClosed, !bytes.isEmpty else { return }
        bytes.append(input.unread)
        input.unread = bytes
    }
}

/// Handles the bytes and events of a socket. All calls come on the socket's loop.
public protocol StreamHandler: AnyObject {
    /// Takes bytes and returns how many it has consumed; the rest is offered again, together with later bytes.
    func received(_ bytes: RawSpan) -> Int
    /// The peer will send no more; most protocols close. This call is repeated when reading is resumed later.
    func endOfInput()
    /// The kernel takes no more for now: the peer is slow. `drained` follows, or `closed`.
    func congested()
    /// All bytes that had to wait for the kernel have left.
    func drained()
    /// The last call; the socket is closed already.
    func closed(_ end: StreamSocket.End)
}

extension StreamHandler {
    public func congested() {}
}
