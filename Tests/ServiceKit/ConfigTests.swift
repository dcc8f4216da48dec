import EventLoop
import ServiceKit
import Testing

@Suite("Settings")
struct ConfigTests {
    private static let port = ConfigKey("port", default: 8101, "Where to listen.")
    private static let name = ConfigKey<String>("name", "What it is called.")
    private static let password = ConfigKey<Secret>("password", "Opens the door.")
    private static let wait = ConfigKey("wait", default: Duration.seconds(30), "How long to wait.")
    private static let entries = [port.entry, name.entry, password.entry, wait.entry]

    private static func config(
        _ file: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws(ConfigError) -> Config {
        try Config(entries, file: file, environment: environment) { files[$0] }
    }

    @Test("The environment goes before the file, and the file before the default")
    func precedence() throws {
        let config = try Self.config(
            "# a comment\n\nname = from the file\nport=1\npassword = x = y\n",
            environment: ["MARU_PORT": "2", "HOME": "/root"]
        )
        #expect(config[Self.port] == 2)
        #expect(config[Self.name] == "from the file")
        #expect(config[Self.password].revealed == "x = y")
        #expect(config[Self.wait] == .seconds(30))
    }

    @Test("Lines may end as other systems end them")
    func lineEnds() throws {
        let config = try Self.config("# a comment\r\nname = n\r\nport = 1\r\npassword = p\r\n")
        #expect(config[Self.name] == "n")
        #expect(config[Self.port] == 1)
        #expect(config[Self.password].revealed == "p")
    }

    @Test("A secret may stand in a file of its own and describes itself as dots")
    func secrets() throws {
        let config = try Self.config("name = n\npassword_file = /run/p", files: ["/run/p": "open sesame\n"])
        #expect(config[Self.password].revealed == "open sesame")
        #expect("\(config[Self.password])" == "•••")
        #expect(throws: ConfigError.self) { try Self.config("name = n\npassword_file = /nowhere") }
    }

    @Test(
        "Settings that are unknown, missing, doubled or of the wrong type are refused",
        arguments: [
            "name = n", "password = p", "name = n\npassword = p\ncolour = red", "name = n\nname = m\npassword = p",
            "name = n\npassword = p\nport = many", "name = n\npassword = p\nwait = 3 weeks", "name", "name_file = /n",
        ]
    )
    func refusals(file: String) {
        #expect(throws: ConfigError.self) { try Self.config(file) }
    }

    @Test(
        "A rate of 0, or another number with which a service could not do its work, is refused in words",
        arguments: [
            "user_rate", "user_burst", "address_rate", "address_burst", "key_burst", "connections",
            "database_connections",
        ]
    )
    func tooSmall(_ name: String) {
        let required = "clients_file = c\nservice_credential = s\ndatabase_url = d\nredis_url = r\n"
        for number in ["0", "-1"] {
            #expect(throws: ConfigError("\(name) must be a number, 1 at least")) {
                try Config(Service.settings(of: "sample", []), file: required + "\(name) = \(number)")
            }
        }
    }

    @Test("A level of logging that does not exist is refused")
    func unknownLevel() {
        let required = "clients_file = c\nservice_credential = s\ndatabase_url = d\nredis_url = r\n"
        #expect(throws: ConfigError("log_level must be a level")) {
            try Config(Service.settings(of: "sample", []), file: required + "log_level = loud")
        }
    }

    @Test("An unknown variable of ours is refused, too")
    func unknownVariable() {
        #expect(throws: ConfigError.self) {
            try Self.config("name = n\npassword = p", environment: ["MARU_PROT": "8101"])
        }
    }

    @Test("No error shows what a secret holds")
    func errorsAreSafe() {
        let count = ConfigKey<Secret>("token", "")
        #expect(throws: ConfigError.self) {
            do {
                _ = try Config([count.entry, Self.port.entry], file: "token = hunter2\nport = hunter2")
            } catch {
                #expect(!"\(error)".contains("hunter2"))
                throw error
            }
        }
    }

    @Test(
        "Durations and sizes read back as they are written",
        arguments: ["250ms", "30s", "5m", "2h", "30d", "0ms", "90s"]
    )
    func durations(text: String) { #expect(Duration(configText: text)?.configText == text) }

    @Test("Sizes and addresses read back as they are written")
    func sizesAndAddresses() {
        for text in ["512", "64KB", "10MB", "2GB", "0"] { #expect(ByteCount(configText: text)?.configText == text) }
        for text in ["127.0.0.1:80", "[::1]:8101"] { #expect(SocketAddress(configText: text)?.configText == text) }
        for text in ["MB", "-1", "9999999999999GB"] { #expect(ByteCount(configText: text) == nil) }
        for text in ["80", "127.0.0.1", "localhost:80", "127.0.0.1:99999"] {
            #expect(SocketAddress(configText: text) == nil)
        }
    }

    @Test("The printed settings are a file that is accepted once the required ones are filled in")
    func template() throws {
        let template = Config.template(of: Self.entries)
        let filled = template.replacing("name =", with: "name = n").replacing("password =", with: "password = p")
        #expect(try Self.config(filled)[Self.port] == 8101)
        #expect(template.contains("# port = 8101"))
    }
}
