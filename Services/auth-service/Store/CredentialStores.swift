import Postgres

/// The stores of passwords, addresses, codes and known devices.
struct CredentialStores: Sendable {
    let credentials: CredentialStore
    let codes: CodeStore
    let devices: KnownDeviceStore

    init(database: PostgresPool) {
        credentials = CredentialStore(database: database)
        codes = CodeStore(database: database)
        devices = KnownDeviceStore(database: database)
    }
}
