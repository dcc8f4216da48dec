import Postgres

/// The stores of second factors and of sign-ins that wait for their code.
struct SecondFactorStores: Sendable {
    let factors: SecondFactorStore
    let tickets: SignInTicketStore

    init(database: PostgresPool) {
        factors = SecondFactorStore(database: database)
        tickets = SignInTicketStore(database: database)
    }
}
