import EngineIO
import ServiceKit
import ServiceSupport
import Testing

@testable import realtime_gateway

@Suite("Settings of the gateway")
struct SettingsTests {
    private static func config(_ line: String) throws(ConfigError) -> Config {
        let required = """
            clients_file = c
            service_credential = \(ServiceUnderTest.credential)
            database_url = d
            redis_url = r

            """
        return try Config(
            Service.settings(of: "realtime-gateway", GatewaySettings.entries), file: required + line)
    }

    @Test(
        "Sockets cannot be told to be silent for longer than nginx lets them",
        arguments: ["ping_interval", "ping_timeout"])
    func silence(_ name: String) throws {
        let settings = try GatewaySettings(Self.config("\(name) = 50s"))
        #expect(settings.engine.pingInterval + settings.engine.pingTimeout < .seconds(120))
        #expect(throws: ConfigError("\(name) must be a duration, 100ms at least, 50s at most")) {
            try Self.config("\(name) = 51s")
        }
    }
}
