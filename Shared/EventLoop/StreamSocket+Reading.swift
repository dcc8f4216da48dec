internal import Glibc

extension StreamSocket {
    /// Leaves bytes in the kernel until `resumeReading`: back-pressure on the peer.
    public func pauseReading() { isReadingPaused = true }

    /// Reads again, and first offers again what was not consumed.
    public func resumeReading() {
        guard isReadingPaused, !isClosed else { return }
        takeUnread()
    }

    /// Offers again what was not consumed, and reads again where that was paused.
    public func takeUnread() {
        guard !isClosed else { return }
        isReadingPaused = false
        offerUnread()
        guard !isClosed, !isReadingPaused else { return }
        if hasSeenEnd {
            handler?.endOfInput()
        } else if inputIsReady {
            waitForTurn()
        }
    }

    /// Reads what the kernel has now, without waiting for the loop's next turn.
    public func readNow() {
        if !isClosed && !isReadingPaused { read() }
    }

    /// Bytes that were read and that the handler has not consumed.
    public var unreadCount: Int { unread.count }

    /// Reads once; what else there is comes in the loop's next turn, after the other sockets.
    func read() {
        guard !hasSeenEnd else { return }
        let target = loop.scratch
        let count = recv(descriptor, target.baseAddress!, target.count, 0)
        if count > 0 {
            // A short read has emptied the kernel's buffer: the next bytes are an event, but an end behind it is not.
            inputIsReady = count == target.count || endIsComing
            received(UnsafeRawBufferPointer(rebasing: target[..<count]))
            if inputIsReady && !isReadingPaused && !isClosed { waitForTurn() }
        } else if count == 0 {
            inputIsReady = false
            hasSeenEnd = true
            handler?.endOfInput()
        } else if errno == EAGAIN {
            inputIsReady = false
        } else if errno != EINTR {
            finish(errno == ECONNRESET || errno == EPIPE ? .peer : .failed(errno))
        } else {
            waitForTurn()
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        guard unread.isEmpty else {
            unread.append(bytes)
            return offerUnread()
        }
        let consumed = handler?.received(bytes.bytes) ?? bytes.count
        if consumed < bytes.count && !isClosed { unread.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...])) }
    }

    private func offerUnread() {
        guard !unread.isEmpty, !isReadingPaused, let handler else { return }
        // Taken out while the handler looks at it, so that it may pause, resume or close from within.
        var bytes = UnreadBytes()
        swap(&bytes, &unread)
        bytes.consume(bytes.withBytes(handler.received))
        guard !isClosed, !bytes.isEmpty else { return }
        bytes.append(unread)
        unread = bytes
    }
}

/// What a protocol does with the bytes of its socket. All calls come on the socket's loop.
public protocol StreamHandler: AnyObject {
    /// Takes bytes and says how many it has consumed; the rest is offered again, with what comes after it.
    func received(_ bytes: RawSpan) -> Int
    /// The peer will send no more; most protocols close. Comes again when reading is resumed after it.
    func endOfInput()
    /// The kernel takes no more for now: the peer is slow. `drained` follows, or the end.
    func congested()
    /// All that had to wait for the kernel has left.
    func drained()
    /// The last call; the socket is closed already.
    func closed(_ end: StreamSocket.End)
}

extension StreamHandler {
    public func congested() {}
}
