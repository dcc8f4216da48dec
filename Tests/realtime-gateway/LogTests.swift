import Contract
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("The log", .serialized)
struct LogTests {
    private static let room = RoomID(ChannelID(8))
    private static let device = "geheimgeraet"

    @Test("D3: no token, text, address and device is logged, not even of a push or a call that is refused")
    func discreet() async throws {
        let file = LogFile()
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = [1, 60]
                state.devices = [1: [Self.device]]
                state.refusals = [(400, "INVALID_ARGUMENT", nil)]
            }
            let (known, unknown) = (harness.token(5), harness.token(3) + "geheim")
            let log = file.log(.debug, of: "realtime-gateway")
            try await harness.withNode(try harness.pushSettings(folder), log: log) { node in
                let reader = try await harness.listener(2, port: node.port)
                try await harness.say("geheimer Text")
                try await reader.until("the message") { record in
                    record.events.contains { $0.body["content"]?.string == "geheimer Text" }
                }
                let namespace = Namespace.name(of: GatewayHarness.channel)
                let member = try await SocketClient.joined(namespace, port: node.port, token: known)
                let stranger = try SocketClient(port: node.port, headers: [("Authorization", unknown)])
                try stranger.join(namespace)
                try await stranger.until("a refusal") { !$0.refused.isEmpty }
                let phone = try await harness.device(4, port: node.port)
                try phone.send(#"42/me,1["send",{"room":"geheimer Raum","content":"geheim"}]"#)
                try await phone.until("the answer") { $0.acknowledged.contains(1) }
                // The provider refuses one push for good and takes the other.
                for text in ["geheime Nachricht", "geheim"] { try await harness.push(text, in: Self.room) }
                try await harness.settled(count: 2)
                // A push without an answer is sent again.
                #expect(Set(harness.peers.now.pushes.map(\.device)) == [Self.device])
                #expect(!member.record.isEnded)
            }
            let text = try await file.text()
            // The line shows that the test reads the right log.
            #expect(text.contains("a push was refused"))
            for secret in ["geheim", "@b.kr"] { #expect(!text.contains(secret), "\(secret)") }
            for token in [known, unknown] {
                for part in token.split(separator: ".").dropFirst() { #expect(!text.contains(part)) }
            }
        }
    }
}
