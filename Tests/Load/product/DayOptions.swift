/// The options of `deploy/simulate`.
struct DayOptions: Sendable {
    /// The people of the company.
    var people = 100_000
    /// The machines that share them. This machine gets the people of one.
    var machines = 100
    /// Simulated seconds in a second.
    var speed = 60
    /// The messages that a person writes a day.
    var messages = 50
    /// The limit of p99 in milliseconds, in every hour.
    var limit = 100.0
    var hours = 0..<24
    /// The file for the results as JSON.
    var json: String?

    static let help = """
        deploy/simulate [options]: a day of a large company, at speed, on the part of it that one machine of several has
          --people N    people of the company (100000)
          --machines N  machines that share them (100): this one gets a hundredth of the people
          --speed N     simulated seconds in a second (60): a day takes 24 minutes, and each second has the calls of a minute
          --messages N  messages that a person writes a day (50); they read and react three times as often
          --hours A-B   the hours to play (0-24)
          --limit MS    the largest p99 that an hour may have (100)
          --json FILE   write the results as JSON
        """

    /// The people on this machine.
    var share: Int { max(1, people / machines) }

    /// The length of an hour, in real seconds.
    var hour: Double { 3600 / Double(speed) }

    /// Nil if the user asked for help.
    init?(_ arguments: some Sequence<String>) throws(WrongOption) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--help" || name == "-h" { return nil }
            guard let value = rest.popFirst() else {
                throw WrongOption(description: "\(name) is unknown or has no value; see --help")
            }
            switch name {
            case "--json": json = value
            case "--hours": hours = try Self.hours(value)
            case "--people": people = try Self.number(name, value)
            case "--machines": machines = try Self.number(name, value)
            case "--speed": speed = try Self.number(name, value)
            case "--messages": messages = try Self.number(name, value)
            case "--limit": limit = Double(try Self.number(name, value))
            default: throw WrongOption(description: "unknown option \(name); see --help")
            }
        }
        guard speed <= 3600 else { throw WrongOption(description: "--speed is at most 3600; see --help") }
    }

    private static func number(_ name: String, _ value: String) throws(WrongOption) -> Int {
        guard let number = Int(value), number > 0 else {
            throw WrongOption(description: "\(name) \(value) is not valid; see --help")
        }
        return number
    }

    private static func hours(_ value: String) throws(WrongOption) -> Range<Int> {
        let ends = value.split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] >= 0, ends[1] <= 24, ends[0] < ends[1] else {
            throw WrongOption(description: "--hours \(value) is not valid; it is such as 8-12")
        }
        return ends[0]..<ends[1]
    }
}
