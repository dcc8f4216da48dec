/// What the command line asks for.
struct LoadOptions: Sendable {
    /// Those who are at it; each does something every `pause` seconds.
    var users = 1000
    /// Those who have a socket open and do nothing.
    var idle = 10_000
    /// Of each step.
    var seconds = 10
    /// Milliseconds that p99 may reach before the rate rises no more.
    var limit = 100.0
    /// Steps at most.
    var steps = 8
    /// Where the figures go as JSON.
    var json: String?

    /// Seconds between two actions of one active user.
    static let pause = 5

    static let help = """
        deploy/load product [options]: what people do all day, against the whole product, at rates that rise until it breaks
          --users N     active users (1000); each does something every 5 s: that is the first step's rate
          --idle N      open sockets of people who do nothing (10000)
          --seconds N   of each step (10)
          --limit MS    p99 at which the rate rises no more (100)
          --steps N     steps at most (8), each half as fast again as the one before
          --json FILE   the figures as JSON
        """

    /// Nil where help is asked for.
    init?(_ arguments: some Sequence<String>) throws(WrongOption) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--help" || name == "-h" { return nil }
            guard let value = rest.popFirst() else {
                throw WrongOption(description: "\(name) is no option, or needs a value")
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
            default: throw WrongOption(description: "unknown option \(name); see --help")
            }
        }
    }
}

/// The command line is not valid.
struct WrongOption: Error, CustomStringConvertible {
    let description: String
}
