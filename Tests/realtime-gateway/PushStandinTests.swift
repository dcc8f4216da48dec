import Contract
import EventLoop
import HTTP
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway
@testable import standins

@Suite("Pushes by the rules of the provider")
struct PushStandinTests {
    /// Lends the stand-in of FCM, and the settings of a node that sends to it.
    private func withProvider(_ body: (ProviderStandins, [String: String]) async throws -> Void) async throws {
        let folder = TemporaryFolder("maru-push")
        let account = folder.path + "/account.json"
        let world = try ProviderStandins(serviceAccountFile: account)
        let loops = EventLoopGroup(count: 1)
        let server = world.server(on: loops)
        let url = "http://127.0.0.1:\(try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port)/fcm"
        try await body(
            world,
            [
                "fcm_url": url, "fcm_token_url": url + "/token", "fcm_service_account": account,
                // A push is sent twice if its lease or the call ends while the machine stands still.
                "push_lease": "120s", "provider_deadline": "30s",
            ])
        await server.stop()
        await onOwnThread { loops.stop() }
    }

    @Test("A text that grows when it is written as JSON reaches every device, and no device is forgotten for it")
    func growing() async throws {
        try await withProvider { world, settings in
            try await GatewayHarness.use { harness in
                let room = RoomID(ChannelID(8))
                harness.peers.change { state in
                    state.channels[8] = [1, 2, 60]
                    state.devices = [1: ["d1"], 2: ["d2"]]
                }
                try await harness.withNode(settings) { node in
                    let text = String(repeating: "\u{1}", count: 1497)
                    let message = harness.peers.change { $0.write(text, in: room, by: 60, session: 1060) }
                    let body = String(decoding: RoomEvent.message(message).encoded(), as: UTF8.self)
                    try await harness.redis.command("XADD", "push", "*", "id", "\(room):1", "body", body)
                    try await eventually("the end of both pushes") {
                        try await harness.ask("select count(done_at) from realtime.push") == "2"
                    }
                    #expect(world.fcm.devices.sorted() == ["d1", "d2"])
                    #expect(harness.peers.now.pruned.isEmpty)
                }
            }
        }
    }
}
