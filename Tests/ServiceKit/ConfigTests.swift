import EventLoop
import ServiceKit
import ServiceSupport
import Testing

@Suite("Settings")
struct ConfigTests {
    private static let port = ConfigKey("port", default: 8101, "Where to listen.")
    private static let name = ConfigKey<String>("name", "What it is called.")
    private static let password = ConfigKey<Secret>("password", "Opens the door.")
    private static let wait = ConfigKey("wait", default: Duration.seconds(30), "How long to wait.")
    private static let entries = [port.entry, name.entry, password.entry, wait.entry]

    /// The required settings of every service, except for the credential.
    private static let required = "clients_file = c\ndatabase_url = d\nredis_url = r\n"
    private static let complete = required + "service_credential = \(ServiceUnderTest.credential)\n"

    private static func config(
        _ file: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws(ConfigError) -> Config {
        try Config(entries, file: file, environment: environment) { files[$0] }
    }

    @Test("The environment overrides the file, and the file overrides the default")
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

    @Test("Lines may end with CR LF")
    func lineEnds() throws {
        let config = try Self.config("# a comment\r\nname = n\r\nport = 1\r\npassword = p\r\n")
        #expect(config[Self.name] == "n")
        #expect(config[Self.port] == 1)
        #expect(config[Self.password].revealed == "p")
    }

    @Test("A secret may be in a separate file, and its description is dots")
    func secrets() throws {
        let config = try Self.config("name = n\npassword_file = /run/p", files: ["/run/p": "open sesame\n"])
        #expect(config[Self.password].revealed == "open sesame")
        #expect("\(config[Self.password])" == "•••")
        #expect(throws: ConfigError.self) { try Self.config("name = n\npassword_file = /nowhere") }
    }

    @Test("The environment overrides the file in either form of a secret")
    func precedenceOfSecrets() throws {
        let files = ["/run/a": "from a", "/run/b": "from b"]
        func password(_ file: String, _ variable: String, _ value: String) throws -> String {
            try Self.config("name = n\n\(file)", environment: [variable: value], files: files)[Self.password].revealed
        }
        #expect(try password("password = plain", "MARU_PASSWORD_FILE", "/run/a") == "from a")
        #expect(try password("password_file = /run/a", "MARU_PASSWORD_FILE", "/run/b") == "from b")
        #expect(try password("password_file = /run/a", "MARU_PASSWORD", "plain") == "plain")
        #expect(try password("password = plain", "MARU_PASSWORD", "other") == "other")
    }

    @Test("A secret in both forms in one source is refused")
    func bothForms() {
        let files = ["/run/p": "p"]
        #expect(throws: ConfigError("password and password_file are both set")) {
            try Self.config("name = n\npassword = p\npassword_file = /run/p", files: files)
        }
        #expect(throws: ConfigError("password and password_file are both set")) {
            try Self.config(
                "name = n", environment: ["MARU_PASSWORD": "p", "MARU_PASSWORD_FILE": "/run/p"], files: files)
        }
    }

    @Test("A secret that is too short is refused in either form, and not shown")
    func shortSecrets() throws {
        func config(_ credential: String) throws -> Config {
            try Config(Service.settings(of: "sample", []), file: Self.required + "service_credential = \(credential)")
        }
        #expect(throws: ConfigError("service_credential must be a secret, 32 characters at least")) {
            try config(String(repeating: "x", count: 31))
        }
        _ = try config(String(repeating: "x", count: 32))
    }

    @Test(
        "Unknown, missing, repeated and mistyped settings are refused",
        arguments: [
            "name = n", "password = p", "name = n\npassword = p\ncolour = red", "name = n\nname = m\npassword = p",
            "name = n\npassword = p\nport = many", "name = n\npassword = p\nwait = 3 weeks", "name", "name_file = /n",
        ]
    )
    func refusals(file: String) {
        #expect(throws: ConfigError.self) { try Self.config(file) }
    }

    @Test(
        "A number outside its limits, such as a rate of 0, is refused with the limits",
        arguments: [
            "user_rate", "user_burst", "address_rate", "address_burst", "key_burst", "connections",
            "database_connections",
        ]
    )
    func tooSmall(_ name: String) {
        for number in ["0", "-1"] {
            #expect(throws: ConfigError("\(name) must be a number, 1 at least")) {
                try Config(Service.settings(of: "sample", []), file: Self.complete + "\(name) = \(number)")
            }
        }
    }

    @Test("An unknown log level is refused")
    func unknownLevel() {
        #expect(throws: ConfigError("log_level must be a level")) {
            try Config(Service.settings(of: "sample", []), file: Self.complete + "log_level = loud")
        }
    }

    @Test("An unknown MARU_ variable is refused")
    func unknownVariable() {
        #expect(throws: ConfigError.self) {
            try Self.config("name = n\npassword = p", environment: ["MARU_PROT": "8101"])
        }
    }

    @Test("No error contains a secret")
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
        "Durations parse back to the same value",
        arguments: ["250ms", "30s", "5m", "2h", "30d", "0ms", "90s"]
    )
    func durations(text: String) { #expect(Duration(configText: text)?.configText == text) }

    @Test("Sizes and addresses parse back to the same value")
    func sizesAndAddresses() {
        for text in ["512", "64KB", "10MB", "2GB", "0"] { #expect(ByteCount(configText: text)?.configText == text) }
        for text in ["127.0.0.1:80", "[::1]:8101"] { #expect(SocketAddress(configText: text)?.configText == text) }
        for text in ["MB", "-1", "9999999999999GB"] { #expect(ByteCount(configText: text) == nil) }
        for text in ["80", "127.0.0.1", "localhost:80", "127.0.0.1:99999"] {
            #expect(SocketAddress(configText: text) == nil)
        }
    }

    @Test("The printed settings are accepted as a file once the required values are filled in")
    func template() throws {
        let template = Config.template(of: Self.entries)
        let filled = template.replacing("name =", with: "name = n").replacing("password =", with: "password = p")
        #expect(try Self.config(filled)[Self.port] == 8101)
        #expect(template.contains("# port = 8101"))
    }
}
