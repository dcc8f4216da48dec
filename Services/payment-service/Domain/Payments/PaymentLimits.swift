/// Limits of one user.
struct PaymentLimits: Sendable {
    /// The most orders within a day.
    let ordersPerDay: Int
    /// The most lookups within an hour of payments that no provider knows.
    let unknownPerHour: Int
}
