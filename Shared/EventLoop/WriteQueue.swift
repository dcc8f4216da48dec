internal import CSystem
internal import Glibc

/// The output that waits on a socket, in order: shared byte arrays and parts of files.
struct WriteQueue {
    private enum Piece {
        case bytes([UInt8])
        case file(OpenFile, offset: Int, end: Int)
    }

    /// The result of one `send`: all bytes sent, those of them that count as queued memory, and errno.
    struct Sent {
        var count = 0
        var counted = 0
        var error: Int32 = 0
    }

    /// The number of writes that wait. Stored, so that checking it does not read the arrays, which are elsewhere in
    /// memory.
    private(set) var count = 0
    /// The only piece, if there is one and it is bytes, which is the usual case: then `pieces` is not read.
    private var single: [UInt8] = []
    /// All pieces, if `single` is empty.
    private var pieces: [Piece] = []
    private var head = 0
    /// The number of bytes of the first piece, if it is bytes, that have been sent.
    private var offset = 0

    var isEmpty: Bool { count == 0 }

    /// Lets `write` append to the last small write, in the same array; returns the number of bytes that it has
    /// appended.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Int {
        if isEmpty || !single.isEmpty && single.count < Self.gatheredSize {
            let before = single.count
            // A second small write is seldom the last one: one larger reservation instead of repeated doubling.
            if before > 0 && single.capacity < Self.secondSize { single.reserveCapacity(Self.secondSize) }
            write(&single)
            count = single.isEmpty ? 0 : 1
            return single.count - before
        }
        var bytes: [UInt8] = []
        write(&bytes)
        if !bytes.isEmpty { append(.bytes(bytes)) }
        return bytes.count
    }

    /// From this size on, further small writes become pieces of their own.
    private static let gatheredSize = 16 * 1024
    private static let secondSize = 4 * 1024

    /// Appends bytes, at least one.
    mutating func append(_ bytes: [UInt8]) {
        if isEmpty {
            single = bytes
            count = 1
        } else {
            append(.bytes(bytes))
        }
    }

    mutating func append(_ file: OpenFile, offset: Int, length: Int) {
        append(.file(file, offset: offset, end: offset + length))
    }

    private mutating func append(_ piece: Piece) {
        if !single.isEmpty {
            pieces.append(.bytes(single))
            single = []
        }
        pieces.append(piece)
        count += 1
    }

    /// Makes one system call. Several small pieces are copied into `scratch` first, which is cheaper than `writev`.
    mutating func send(to descriptor: Int32, gatheringIn scratch: UnsafeMutableRawBufferPointer) -> Sent {
        guard single.isEmpty else { return sendSingle(to: descriptor) }
        switch pieces[head] {
        case .file(let file, let start, let end): return sendFile(file, start, end, to: descriptor)
        case .bytes(let bytes):
            let count: Int
            if head + 1 == pieces.count || bytes.count - offset >= scratch.count {
                count = bytes.withUnsafeBytes { cs_send(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            } else {
                count = cs_send(descriptor, scratch.baseAddress, gather(into: scratch))
            }
            guard count >= 0 else { return Sent(error: errno) }
            drop(count)
            return Sent(count: count, counted: count)
        }
    }

    private mutating func sendSingle(to descriptor: Int32) -> Sent {
        let count = single.withUnsafeBytes { cs_send(descriptor, $0.baseAddress! + offset, $0.count - offset) }
        guard count >= 0 else { return Sent(error: errno) }
        dropOfSingle(count)
        return Sent(count: count, counted: count)
    }

    /// The queued bytes and the number of them that have been sent, if the queue is one piece of bytes; else nil.
    var onlyBytes: (bytes: [UInt8], offset: Int)? { single.isEmpty ? nil : (single, offset) }

    /// Removes the next `count` bytes of `onlyBytes`, which the caller has sent.
    mutating func dropOfSingle(_ count: Int) {
        offset += count
        guard offset == single.count else { return }
        single = []
        offset = 0
        self.count = 0
    }

    private func gather(into scratch: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var start = offset
        for piece in pieces[head...] {
            guard case .bytes(let bytes) = piece, filled < scratch.count else { break }
            let count = min(bytes.count - start, scratch.count - filled)
            bytes.withUnsafeBytes {
                (scratch.baseAddress! + filled).copyMemory(from: $0.baseAddress! + start, byteCount: count)
            }
            filled += count
            start = 0
        }
        return filled
    }

    private mutating func drop(_ count: Int) {
        var rest = count
        while rest > 0, case .bytes(let bytes) = pieces[head] {
            let left = bytes.count - offset
            if rest < left {
                offset += rest
                return
            }
            rest -= left
            dropFirst()
        }
    }

    private mutating func dropFirst() {
        offset = 0
        count -= 1
        head += 1
        if head == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.count <= 8)
            head = 0
        } else {
            pieces[head - 1] = .bytes([])
            if head >= 64 {
                pieces.removeFirst(head)
                head = 0
            }
        }
    }

    /// Removes all pieces except one that may be partly sent; returns the number of counted bytes removed.
    mutating func discardUnsent() -> Int {
        if !single.isEmpty && offset == 0 {
            defer {
                single = []
                count = 0
            }
            return single.count
        }
        guard head < pieces.count else { return 0 }
        var kept = head
        if case .file = pieces[head] { kept += 1 } else if offset > 0 { kept += 1 }
        let discarded = pieces[kept...].reduce(0) { sum, piece in
            guard case .bytes(let bytes) = piece else { return sum }
            return sum + bytes.count
        }
        pieces.removeSubrange(kept...)
        count = kept - head
        if head == pieces.count {
            pieces.removeAll()
            head = 0
        }
        return discarded
    }

    private mutating func sendFile(_ file: OpenFile, _ start: Int, _ end: Int, to descriptor: Int32) -> Sent {
        var position = off_t(start)
        let count = sendfile(descriptor, file.descriptor, &position, end - start)
        guard count > 0 else { return Sent(error: count == 0 ? EIO : errno) }
        if start + count == end { dropFirst() } else { pieces[head] = .file(file, offset: start + count, end: end) }
        return Sent(count: count)
    }
}

/// An open file, closed with its last reference.
public final class OpenFile: Sendable {
    /// The descriptor, for reading.
    public let descriptor: Int32

    /// Takes over an open descriptor.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
