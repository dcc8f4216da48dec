import EventLoop
import Glibc
import Testing

@Suite struct StreamSocketTests {
    @Test(
        "Writes arrive whole and in order, small ones and large ones",
        arguments: [1, 500, 300_000, 5_000_000])
    func writing(size: Int) async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            ends.near.writeLimit = .max
            var expected: [UInt8] = []
            for part in [size, 3, size / 2 + 1, 1] {
                let bytes = Pattern.bytes(part)
                ends.near.write(bytes)
                expected += bytes
            }
            await ends.farSide.until { $0.received.count >= expected.count }
            #expect(ends.farSide.received == expected)
            #expect(ends.near.isDrained && ends.near.queuedBytes == 0)
            #expect(ends.near.sentBytes == UInt64(expected.count))
            ends.close()
        }
    }

    @Test("Writes of one turn leave together at its end")
    func gathering() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            for _ in 0..<100 { ends.near.write([7]) }
            #expect(ends.near.sentBytes == 0)
            await ends.farSide.until { $0.received.count == 100 }
            #expect(ends.farSide.offers == 1)
            ends.close()
        }
    }

    @Test("A paused reader leaves the bytes with the sender, and gets all of them when it resumes")
    func backPressure() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            ends.near.writeLimit = .max
            ends.far.pauseReading()
            let bytes = Pattern.bytes(20_000_000)
            ends.near.write(bytes)
            await ends.nearSide.until { $0.congestions == 1 }
            // The kernel's buffers are full, so it takes no more however long the test waits.
            try await loop.sleep(for: .milliseconds(100))
            #expect(ends.farSide.received.isEmpty)
            #expect(ends.near.queuedBytes > 5_000_000)
            ends.far.resumeReading()
            await ends.farSide.until { $0.received.count == bytes.count }
            #expect(ends.farSide.received == bytes)
            await ends.nearSide.until { $0.drains >= 1 }
            ends.close()
        }
    }

    @Test("A slow reader is disconnected when more bytes than the limit wait for it")
    func slowReader() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            ends.near.writeLimit = 1 << 20
            ends.far.pauseReading()
            var isTold = false
            while !isTold {
                ends.near.write([UInt8](repeating: 1, count: 100_000))
                isTold = ends.nearSide.ending != nil
                try await loop.sleep(for: .milliseconds(1))
            }
            #expect(ends.nearSide.ending == .slowReader)
            #expect(ends.near.isClosed && ends.near.queuedBytes == 0)
            ends.close()
        }
    }

    @Test("Bytes that a handler does not consume are offered again with later ones, even byte by byte")
    func unconsumed() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            var isOpen = false
            ends.farSide.consume = { isOpen ? min($0, 1) : 0 }
            let bytes = Pattern.bytes(1000)
            for part in stride(from: 0, to: 1000, by: 250) {
                ends.near.write(Array(bytes[part..<(part + 250)]))
                await ends.farSide.until { $0.offers == part / 250 + 1 }
                #expect(ends.far.unreadCount == part + 250)
            }
            #expect(ends.farSide.received.isEmpty)
            isOpen = true
            while ends.far.unreadCount > 0 { ends.far.takeUnread() }
            #expect(ends.farSide.received == bytes)
            ends.close()
        }
    }

    @Test("A handler hears of the end of input after its last byte, and can still write")
    func halfClose() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            let bytes = Pattern.bytes(3_000_000)
            ends.near.writeLimit = .max
            ends.near.write(bytes)
            ends.near.endAfterFlush()
            ends.near.write([1])
            await ends.farSide.until { $0.ends == 1 }
            #expect(ends.farSide.received == bytes)
            #expect(!ends.far.isClosed)
            ends.far.write([42])
            await ends.nearSide.until { $0.received == [42] }
            ends.far.closeAfterFlush()
            await ends.nearSide.until { $0.ends == 1 }
            #expect(ends.farSide.ending == .local)
            ends.close()
        }
    }

    @Test("An end that comes while reading is paused is reported after the bytes before it, when reading resumes")
    func endWhilePaused() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            ends.far.pauseReading()
            let bytes = Pattern.bytes(600_000)
            ends.near.write(bytes)
            ends.near.endAfterFlush()
            try await loop.sleep(for: .milliseconds(50))
            #expect(ends.farSide.received.isEmpty && ends.farSide.ends == 0)
            ends.far.resumeReading()
            await ends.farSide.until { $0.ends == 1 }
            #expect(ends.farSide.received == bytes)
            ends.close()
        }
    }

    @Test("closeAfterFlush sends everything that was queued before it, and nothing after")
    func closeAfterFlush() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            let bytes = Pattern.bytes(2_000_000)
            ends.near.write(bytes)
            ends.near.closeAfterFlush()
            ends.near.write([1, 2, 3])
            await ends.farSide.until { $0.ends == 1 }
            #expect(ends.farSide.received == bytes)
            #expect(ends.nearSide.ending == .local)
            ends.close()
        }
    }

    @Test("A reset closes the socket with the peer's end, reported once")
    func reset() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                ends.far.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            ends.far.close()
            await ends.nearSide.until { $0.ending != nil }
            #expect(ends.nearSide.ending == .peer)
            ends.near.write([1])
            ends.close()
        }
    }

    @Test("Parts of files go out between bytes, however large, while other sockets are served")
    func files() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            let others = try await Ends(on: loop)
            let content = Pattern.bytes(8_000_000)
            var path = Array("/tmp/maru-file-XXXXXX".utf8CString)
            let descriptor = mkstemp(&path)
            unlink(path)
            #expect(content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == content.count)
            let file = OpenFile(descriptor: descriptor)
            ends.near.write([1, 2])
            ends.near.write(file, offset: 1000, length: 7_000_000)
            ends.near.write([3])
            ends.near.write(file, offset: 5, length: 3)
            // Another socket is served before a fast reader has received everything.
            others.near.write([9])
            await others.farSide.until { $0.received == [9] }
            #expect(!ends.near.isDrained)
            await ends.farSide.until { $0.received.count == 7_000_006 }
            var expected: [UInt8] = [1, 2]
            expected += content[1000..<7_001_000]
            expected += [3]
            expected += content[5..<8]
            #expect(ends.farSide.received == expected)
            ends.close()
            others.close()
        }
    }

    @Test("A file that is shorter than promised ends the connection")
    func truncatedFile() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            var path = Array("/tmp/maru-file-XXXXXX".utf8CString)
            let file = OpenFile(descriptor: mkstemp(&path))
            unlink(path)
            ends.near.write(file, offset: 0, length: 10)
            await ends.nearSide.until { $0.ending != nil }
            #expect(ends.nearSide.ending == .failed(EIO))
            ends.close()
        }
    }

    @Test("After a handover the new handler is offered the bytes that the old one left, and gets the end")
    func handOver() async throws {
        try await onLoop { loop in
            let ends = try await Ends(on: loop)
            let second = RecordingHandler()
            ends.farSide.consume = { min($0, 3) }
            ends.farSide.onBytes = { [unowned far = ends.far] _ in
                if far.handler === ends.farSide { far.handOver(to: second) }
            }
            ends.near.write(Array("oldnew".utf8))
            await second.until { $0.received == Array("new".utf8) }
            ends.near.write(Array("er".utf8))
            ends.near.endAfterFlush()
            await second.until { $0.ends == 1 }
            #expect(second.received == Array("newer".utf8) && ends.farSide.received == Array("old".utf8))
            ends.far.close()
            #expect(second.ending == .local && ends.farSide.ending == nil)
            ends.close()
        }
    }

    @Test("A loop that ends closes its sockets and notifies their handlers")
    func loopEnds() async throws {
        let group = EventLoopGroup(count: 1)
        let ends = try await group.loops[0].run { try await Ends(on: group.loops[0]) }
        group.stop()
        #expect(ends.nearSide.ending == .local && ends.farSide.ending == .local)
    }
}
