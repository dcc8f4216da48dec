/// How an extension of Postgres divides the tables of a schema over several servers.
public struct Distribution: Sendable {
    /// The extension, which an operator has created in the database.
    public let extensionName: String
    /// Divides the tables that are whole still. It runs at each start, after the migrations.
    public let script: String
    /// Settings of all sessions.
    public let sessionSettings: [String: String]

    public init(by extensionName: String, script: String, sessionSettings: [String: String]) {
        self.extensionName = extensionName
        self.script = script
        self.sessionSettings = sessionSettings
    }

    private static let find = Statement.read(
        "look for extension", "select exists (select from pg_extension where extname = $1)")
    private static let waitForTables = Statement.write(
        "wait for tables", "select set_config('lock_timeout', '60s', true)")

    /// - Throws: `MigrationError.noExtension` if the database lacks the extension.
    func checkExtension(in tx: PostgresTransaction) async throws {
        guard try await tx.query(Self.find, extensionName).value(as: Bool.self) else {
            throw MigrationError.noExtension(extensionName)
        }
    }

    func divide(in tx: PostgresTransaction) async throws(PostgresError) {
        try await tx.query(Self.waitForTables)
        for statement in SQLScript.statements(in: script) { try await tx.run(script: statement) }
    }
}
