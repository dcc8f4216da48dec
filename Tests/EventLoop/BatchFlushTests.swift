import Glibc
import Testing

@testable import EventLoop

/// Many sockets that have output at the end of one turn.
@Suite struct BatchFlushTests {
    private static let count = 48

    private static func pairs(on loop: EventLoop) async throws -> [Ends] {
        var pairs: [Ends] = []
        for _ in 0..<count { pairs.append(try await Ends(on: loop)) }
        for pair in pairs { pair.near.writeLimit = .max }
        return pairs
    }

    private static func close(_ pairs: [Ends]) {
        for ends in pairs { ends.close() }
    }

    @Test("A socket's output state is within the part that is prefetched")
    func layout() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            let socket = ends.near
            let start = UInt(bitPattern: Unmanaged.passUnretained(socket).toOpaque())
            // `flow` is declared last of the properties that a write and a flush read.
            let flow = withUnsafeMutablePointer(to: &socket.flow) { UInt(bitPattern: $0) } - start
            #expect(flow + UInt(MemoryLayout<StreamSocket.OutputFlow>.size) <= StreamSocket.writtenSize)
            #expect(flow > 24, "the object's header and the channel come first")
            ends.close()
        }
    }

    @Test("Each socket sends its output whole and in order: one write, several, one too large, or its last")
    func various() async throws {
        try await onLoop { loop in
            let pairs = try await Self.pairs(on: loop)
            var expected: [[UInt8]] = []
            for (number, ends) in pairs.enumerated() {
                let size = number % 4 == 2 ? 5_000_000 : 300
                let bytes = Pattern.bytes(size, of: number)
                ends.near.write(bytes)
                if number % 4 == 1 { ends.near.write([1, 2, 3]) }
                if number % 4 == 3 { ends.near.closeAfterFlush() }
                expected.append(number % 4 == 1 ? bytes + [1, 2, 3] : bytes)
            }
            for (number, ends) in pairs.enumerated() {
                await ends.farSide.until { $0.received.count >= expected[number].count }
                #expect(ends.farSide.received == expected[number], "socket \(number)")
                #expect(ends.near.sentBytes == UInt64(expected[number].count))
                #expect(ends.near.isDrained && ends.near.queuedBytes == 0)
                if number % 4 == 2 { await ends.nearSide.until { $0.drains == 1 } }
                #expect(ends.nearSide.congestions == (number % 4 == 2 ? 1 : 0))
                #expect(ends.nearSide.ending == (number % 4 == 3 ? .local : nil))
            }
            // Nothing is left that the next turn would send again.
            for ends in pairs where !ends.near.isClosed { ends.near.write([7]) }
            for (number, ends) in pairs.enumerated() where number % 4 != 3 {
                await ends.farSide.until { $0.received.count > expected[number].count }
                #expect(ends.farSide.received == expected[number] + [7])
            }
            Self.close(pairs)
        }
    }

    /// Calls `slow` when its socket is congested.
    private final class SlowSide: StreamHandler {
        let slow: () -> Void

        init(_ slow: @escaping () -> Void) { self.slow = slow }

        func received(_ bytes: RawSpan) -> Int { bytes.byteCount }
        func endOfInput() {}
        func congested() { slow() }
        func drained() {}
        func closed(_ end: StreamSocket.End) {}
    }

    @Test("A congested handler may write to other sockets and discard their output; sent bytes are not discarded")
    func congestion() async throws {
        try await onLoop { loop in
            let pairs = try await Self.pairs(on: loop)
            pairs[0].far.pauseReading()
            var discarded = 0
            pairs[0].near.handler = SlowSide {
                pairs[2].near.close()
                for ends in pairs[3...] {
                    let before = ends.near.queuedBytes
                    ends.near.discardUnsent()
                    discarded += before - ends.near.queuedBytes
                    ends.near.write([9])
                }
            }
            pairs[0].near.write([UInt8](repeating: 0, count: 20_000_000))
            for (number, ends) in pairs.enumerated().dropFirst() { ends.near.write(Pattern.bytes(300, of: number)) }
            for (number, ends) in pairs.enumerated().dropFirst(3) {
                await ends.farSide.until { $0.received.count > 300 }
                #expect(ends.farSide.received == Pattern.bytes(300, of: number) + [9], "socket \(number)")
            }
            #expect(discarded == 0)
            await pairs[2].farSide.until { $0.ends == 1 }
            #expect(pairs[2].farSide.received == Pattern.bytes(300, of: 2))
            #expect(pairs[1].near.isDrained && !pairs[1].near.isClosed)
            Self.close(pairs)
        }
    }

    @Test("A socket that cannot send is closed, and the others send")
    func refused() async throws {
        try await onLoop { loop in
            let pairs = try await Self.pairs(on: loop)
            for ends in pairs { ends.near.write([1]) }
            shutdown(pairs[5].near.descriptor, Int32(SHUT_WR))
            pairs[6].near.close()
            await pairs[5].nearSide.until { $0.ending != nil }
            #expect(pairs[5].nearSide.ending == .peer)
            for (number, ends) in pairs.enumerated() where number != 5 && number != 6 {
                await ends.farSide.until { !$0.received.isEmpty }
                #expect(ends.farSide.received == [1] && ends.nearSide.ending == nil)
            }
            Self.close(pairs)
        }
    }
}
