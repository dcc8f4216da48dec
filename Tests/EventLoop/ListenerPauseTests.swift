import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct ListenerPauseTests {
    @Test("A listener that stops without a free descriptor leaves no pause behind")
    func stopping() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { loop in
                do {
                    let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) {
                        descriptor, _ in
                        _ = close(descriptor)
                    }
                    listener.start()
                    let before = ConnectingTests.allowDescriptors(0)
                    listener.stop()
                    _ = ConnectingTests.allowDescriptors(before)
                }
                // The end of a pause, which is due before, would look for the listener that is gone.
                try await loop.sleep(for: .milliseconds(100))
            }
        }
    }
}
