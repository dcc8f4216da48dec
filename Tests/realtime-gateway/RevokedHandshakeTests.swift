import Contract
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Revocations during a handshake")
struct RevokedHandshakeTests {
    @Test("A socket of a session that is revoked during its handshake is closed; other sockets stay open")
    func revoked() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(assembledBy: Self.assemble) { node in
                for user in Int64(1)...2 {
                    let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(user))])
                    if user == 1 {
                        try await client.until("its end") { $0.isEnded }
                    } else {
                        try client.join("/ws-channel-7")
                        try await client.until("a way in") { $0.joined.contains("/ws-channel-7") }
                    }
                }
            }
        }
    }

    /// A gateway that hears of the revocation of the first user's session between the check of a handshake and the opening
    /// of its socket.
    @Sendable private static func assemble(_ service: ServiceBuilder) async throws {
        try service.assembleGateway(after: { admission in
            admission.revocations.insert(Revocation(session: SessionID(1001), user: UserID(1), at: .now))
        })
    }
}
