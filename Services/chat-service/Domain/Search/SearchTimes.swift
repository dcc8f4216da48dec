import Contract
import Search
import Wire

/// Reads the values of `before` and `after`: moments, or days in the zone of the caller.
struct SearchTimes: Sendable {
    let settings: SettingsStore
    let days: DayStore

    /// Returns the moment of each value.
    ///
    /// - Parameters:
    ///   - values: a moment such as `2026-11-26T09:00:00Z`, or a day such as `2026-11-26`.
    ///   - zone: the zone of days; nil for the zone of the user's do-not-disturb hours, or UTC if there are none.
    func moments(_ values: [String], in zone: String?, for user: UserID) async throws -> [String: Timestamp] {
        if let zone {
            guard try await settings.knows(zone: zone) else { throw Failure.invalid("zone is unknown.") }
        }
        var moments: [String: Timestamp] = [:]
        var typed: [(value: String, day: Timestamp)] = []
        for value in values {
            if let moment = Timestamp(value) {
                moments[value] = moment
            } else if let day = Timestamp(value + "T00:00:00Z") {
                typed.append((value, day))
            } else {
                throw Failure.invalid("before and after must be dates.")
            }
        }
        if typed.isEmpty { return moments }
        let beginnings = try await days.beginnings(of: typed.map(\.day), in: zone, for: user)
        for (day, beginning) in zip(typed, beginnings) { moments[day.value] = beginning }
        return moments
    }
}
