import EventLoop
import HTTP
import LoadClient
import TestSupport
import WebSocket

/// One measurement: messages to all sockets of a server, each published when the one before has reached the last
/// socket.
struct Broadcast {
    var sockets = 2000
    var messages = 200
    var messageSize = 300

    struct Outcome {
        /// Nanoseconds of the server's processor time for one message to one socket.
        var costOfDelivery: Double
        var deliveriesPerSecond: Double
    }

    /// Measures; call it on the loop.
    func run(against peer: Peer, on loop: EventLoop, with client: HTTPClient) async throws -> Outcome {
        let fleet = WebSocketFleet(on: loop)
        defer { fleet.abort() }
        let address = SocketAddress(ip: "127.0.0.1", port: peer.port)!
        try await fleet.connect(sockets, to: WebSocketFleet.Target(address: address, target: peer.subscribe))
        let text = String(repeating: "a", count: messageSize)
        let expected = Array(text.utf8)
        var missing = 0
        var done: CheckedContinuation<Void, Never>?
        fleet.received = { _, message in
            precondition(message.bytes == expected, "another message")
            missing -= 1
            if missing == 0 {
                done?.resume()
                done = nil
            }
        }
        let meter = ProcessMeter(pid: peer.process.pid)
        var start = (time: UInt64(0), clock: ContinuousClock.now)
        for number in -10..<messages {
            // The first messages warm up.
            if number == 0 { start = (meter.processorTime, .now) }
            missing = sockets
            let request = HTTPClient.Request(.post, "http://\(address)\(peer.publish)", body: expected)
            let status = try await client.send(request).status.code
            guard status < 300 else { throw WebSocketFleet.Failed(reason: "publishing: \(status)") }
            if missing > 0 { await withCheckedContinuation { done = $0 } }
        }
        let spent = Double(meter.processorTime - start.time)
        let deliveries = Double(sockets * messages)
        let elapsed = start.clock.duration(to: .now) / .seconds(1)
        return Outcome(costOfDelivery: spent / deliveries, deliveriesPerSecond: deliveries / elapsed)
    }
}
