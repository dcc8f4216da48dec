import ServiceKit

/// The settings of maructl.
struct Settings: Sendable {
    private static let credentialKey = ConfigKey<Secret>(
        "operator_credential", "The secret that operators show the services.")
    private static let urls: [ServiceName: ConfigKey<String>] = [
        .auth: url("auth", 9101), .workspace: url("workspace", 9102), .chat: url("chat", 9103),
        .realtime: url("realtime", 9104), .payment: url("payment", 9105),
    ]
    private static let gatewayKey = ConfigKey(
        "gateway_url", default: "http://127.0.0.1:8080", "The address of the API gateway, for the doctor's message.")
    private static let apiKeyKey = ConfigKey(
        "api_key", default: "native", "An API key of the native profile, for the doctor's message.")
    private static let certificateKey = ConfigKey(
        "certificate", default: "", "The file of the gateway's certificate, for the doctor; empty for none.")
    private static let deployKey = ConfigKey(
        "deploy_folder", default: "deploy", "The folder with the scripts for backups.")
    private static let programsKey = ConfigKey(
        "programs_folder", default: "", "The folder of the services' programs; empty for that of maructl.")

    private static let operatorsKey = ConfigKey(
        "operators_file", default: "", "The services' operators_file, for the commands `operators`.")

    static let entries =
        [credentialKey.entry] + ServiceName.allCases.compactMap { urls[$0]?.entry }
        + [
            gatewayKey.entry, apiKeyKey.entry, certificateKey.entry, deployKey.entry, programsKey.entry,
            operatorsKey.entry,
        ]

    private static let names =
        ["operator_credential", "operator_credential_file"] + urls.values.map(\.name)
        + [gatewayKey.name, apiKeyKey.name, certificateKey.name, deployKey.name, programsKey.name, operatorsKey.name]

    let credential: Secret
    let services: [ServiceName: String]
    let gateway, apiKey, certificate, deployFolder, programsFolder, operatorsFile: String

    /// Reads the settings from the text of a file and from the environment, which wins. Variables of other programs are not
    /// looked at.
    init(file: String, environment: [String: String]) throws(ConfigError) {
        let known = Set(Self.names.map { "MARU_" + $0.uppercased() })
        let config = try Config(Self.entries, file: file, environment: environment.filter { known.contains($0.key) })
        credential = config[Self.credentialKey]
        services = Self.urls.mapValues { config[$0] }
        gateway = config[Self.gatewayKey]
        apiKey = config[Self.apiKeyKey]
        certificate = config[Self.certificateKey]
        deployFolder = config[Self.deployKey]
        programsFolder = config[Self.programsKey]
        operatorsFile = config[Self.operatorsKey]
    }

    private static func url(_ name: String, _ port: Int) -> ConfigKey<String> {
        ConfigKey("\(name)_url", default: "http://127.0.0.1:\(port)", "The internal address of the service.")
    }
}
