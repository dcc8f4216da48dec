/// The course of a working day in an office: the people with an open app and their actions, hour by hour.
///
/// The shape is an assumption: it rises from seven, dips at lunch and falls from six. A fifth of the people of the busiest
/// hour stay reachable in the evening.
struct WorkingDay: Sendable {
    struct Hour: Sendable {
        /// The hour of the day, from 0.
        let number: Int
        /// The share of the people with an open socket.
        let online: Double
        /// The share of the day's actions that fall into this hour.
        let share: Double
    }

    let hours: [Hour]

    /// The people in a hundred that are online, and a weight for their actions.
    private static let course: [(online: Double, weight: Double)] = [
        (3, 0.4), (2, 0.2), (2, 0.1), (1, 0.1), (1, 0.1), (2, 0.2), (5, 0.6), (12, 1.8),
        (30, 5), (60, 11), (62, 11.5), (62, 9.5), (55, 5), (60, 9.5), (62, 11), (62, 10.5),
        (62, 9.5), (55, 7.5), (30, 3), (15, 1.4), (12, 1), (10, 0.8), (8, 0.6), (5, 0.5),
    ]

    /// The whole day, or the hours of it that are wanted. Shares stay those of the whole day.
    init(_ wanted: Range<Int>) {
        let sum = Self.course.reduce(0) { $0 + $1.weight }
        hours = wanted.map {
            Hour(number: $0, online: Self.course[$0].online / 100, share: Self.course[$0].weight / sum)
        }
    }
}
