import Contract
import Crypto
import HTTP
import ServiceKit
import ServiceSupport
import SocketIO
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

/// Knows no bot.
private struct NoBots: TokenAuthority {
    func keys() async throws -> VerificationKeySet { VerificationKeySet([]) }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) { ([], .now) }

    func bot(of hash: [UInt8]) async throws -> BotIdentity? { nil }
}

@Suite("Sockets of bots at an address that has shown too many unknown tokens")
struct UnknownBotTests {
    private static func token() -> String { BotToken.text(of: BearerSecret()) }

    @Test("A token that could not be checked is not called invalid: its socket may come again")
    func comesAgain() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(assembledBy: Self.assemble) { node in
                // The address may ask once more each tenth of a second, so an attempt may be answered.
                try await eventually("a handshake without room") {
                    let reply = try await HTTPCall.get(
                        port: node.port, "/socket.io/?EIO=4&transport=polling",
                        headers: [("Authorization", "Bearer " + Self.token())])
                    return reply.status == 503
                }
                try await eventually("a join that ends its socket without a refusal") {
                    let client = try SocketClient(port: node.port)
                    try? client.join("/ws-channel-7", #"{"token":"\#(Self.token())"}"#)
                    try await client.until("an answer") { $0.isEnded || !$0.refused.isEmpty }
                    return client.record.refused.isEmpty
                }
            }
        }
    }

    /// A gateway that is shown many unknown tokens just before each handshake.
    @Sendable private static func assemble(_ service: ServiceBuilder) async throws {
        service.verifyTokens(by: NoBots())
        try service.assembleGateway(before: { request, admission in
            await Self.showUnknownTokens(to: admission, from: admission.proxies.origin(of: request).address)
        })
    }

    private static func showUnknownTokens(to admission: Admission, from address: String) async {
        guard let json = try? JSONValue(parsing: #"{"token":"\#(token())"}"#),
            let credential = admission.credential(of: .payload(json))
        else { return }
        for _ in 0..<2000 { _ = try? await admission.identity(of: credential, from: address) }
    }
}
