import Contract
import EventLoop
import Glibc
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing

@Suite("API keys for development")
struct DevelopmentKeyTests {
    /// A file of profiles with another key for the profile `native`.
    private static func clients(_ key: String, in folder: TemporaryFolder) throws -> String {
        let text = try String(contentsOfFile: ServiceUnderTest.clients)
        let members = text[text.firstRange(of: "\"native\": {")!.upperBound...].prefix { $0 != "}" }
        let path = folder.path + "/clients.json"
        let file = try #require(fopen(path, "we"))
        fputs("{\"\(key)\": {\(members)}}", file)
        fclose(file)
        return path
    }

    /// The lines of the log with warnings, and the readiness page.
    private static func signs(_ settings: [String: String]) async throws -> (warnings: [String], page: String) {
        let log = LogFile()
        let service = try await ServiceUnderTest("sample", [], settings, log: log.log(.warning)) { _ in }
        let reply = try await HTTPCall.get(port: service.running.internalAddress.port, "/readyz")
        #expect(reply.status == 200)
        await service.stop()
        await service.redis.stop()
        let lines = try await log.text().split(separator: "\n").map(String.init)
        return (lines.filter { $0.contains("API keys for development") }, reply.text)
    }

    @Test("A service that serves other machines with development keys warns in its log and on its readiness page")
    func warning() async throws {
        let (warnings, page) = try await Self.signs(["public_address": "0.0.0.0:0"])
        let keys = "collabee, collatalk, gathering, gen-2024-01, gen-2024-07, native, sooda"
        #expect(page.hasPrefix("ready\nwarning: API keys for development serve 0.0.0.0"))
        #expect(page.hasSuffix(": \(keys)\n"))
        #expect(warnings.count == 1 && warnings.first?.contains(keys) == true)
    }

    @Test("A service does not warn if only its own machine can reach it, or if its keys cannot be guessed")
    func noWarning() async throws {
        let folder = TemporaryFolder("maru-clients")
        let own = try Self.clients("4f0c2b9d71", in: folder)
        for settings in [[:], ["public_address": "0.0.0.0:0", "clients_file": own]] {
            let (warnings, page) = try await Self.signs(settings)
            #expect(warnings.isEmpty && page == "ready\n", "\(settings)")
        }
    }

    @Test("A loopback address or a path is of this machine alone")
    func loopback() {
        let own = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
        for host in own { #expect(SocketAddress(ip: host, port: 1)?.isLoopback == true, "\(host)") }
        let others = ["0.0.0.0", "::", "10.0.0.1", "192.168.127.1", "::ffff:10.0.0.1", "1270::1"]
        for host in others { #expect(SocketAddress(ip: host, port: 1)?.isLoopback == false, "\(host)") }
        #expect(SocketAddress(unixPath: "/run/maru")?.isLoopback == true)
    }
}
