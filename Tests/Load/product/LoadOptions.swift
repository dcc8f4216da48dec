/// The options of the command line.
struct LoadOptions: Sendable {
    /// Active users. Each starts an action every `pause` seconds.
    var users = 1000
    /// Idle users with an open socket.
    var idle = 10_000
    /// The duration of each step.
    var seconds = 10
    /// The limit of p99 in milliseconds. The rate rises until p99 exceeds it.
    var limit = 100.0
    /// The largest number of steps.
    var steps = 8
    /// The messages of an account that is deleted meanwhile; nil to raise the rate instead.
    var deletion: Int?
    /// Whether to measure the costs of docs/capacity.md instead.
    var measuresCosts = false
    /// The file for the results as JSON.
    var json: String?

    /// Seconds between two actions of an active user.
    static let pause = 5

    static let help = """
        deploy/load product [options]: a mix of user actions against the whole product, at rising rates until it is overloaded
          --users N     active users (1000); the first step's rate is one action of each user every 5 s
          --idle N      open sockets of idle users (10000)
          --seconds N   duration of each step (10)
          --limit MS    stop when p99 exceeds this (100)
          --steps N     largest number of steps (8); each raises the rate by half
          --deletion N  instead, measure the first rate before, during and after the deletion of an account that has N messages
                        in 200 rooms, in slices of five seconds; the bar is 100000, with --seconds 60
          --costs       instead, measure figures for docs/capacity.md: the CPU time of a call that reads, and the memory of
                        a connection of Postgres
          --json FILE   write the results as JSON
        """

    /// Nil if the user asked for help.
    init?(_ arguments: some Sequence<String>) throws(WrongOption) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--help" || name == "-h" { return nil }
            if name == "--costs" {
                measuresCosts = true
                continue
            }
            guard let value = rest.popFirst() else {
                throw WrongOption(description: "\(name) is unknown or has no value; see --help")
            }
            if name == "--json" {
                json = value
                continue
            }
            guard let number = Int(value), number > 0 || (name == "--idle" && number == 0) else {
                throw WrongOption(description: "\(name) \(value) is not valid; see --help")
            }
            switch name {
            case "--users": users = number
            case "--idle": idle = number
            case "--seconds": seconds = number
            case "--limit": limit = Double(number)
            case "--steps": steps = number
            case "--deletion": deletion = number
            default: throw WrongOption(description: "unknown option \(name); see --help")
            }
        }
    }
}

/// An invalid command line.
struct WrongOption: Error, CustomStringConvertible {
    let description: String
}
