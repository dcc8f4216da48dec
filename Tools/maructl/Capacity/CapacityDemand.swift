/// The use that a deployment has to carry at its busiest.
struct CapacityDemand: Sendable, Equatable {
    var users, sockets, sends, reads, pushes: Double
    /// The open sockets that a message reaches.
    var readers: Double
    /// Whether all sockets are of native clients, which have one for all rooms.
    var isNative: Bool
    /// Files in a day, and the bytes of one.
    var files, fileBytes: Double
    /// Loops of an instance, and instances of each service at least.
    var loops, instances: Double

    /// The values of the command line, by the names of the options. A missing value is computed from the number of
    /// users.
    init(_ values: [String: String]) {
        func number(_ name: String, _ otherwise: Double) -> Double { values[name].flatMap { Double($0) } ?? otherwise }
        users = number("users", 1_000)
        sockets = number("sockets", max(1, users / 2))
        sends = number("sends-per-second", max(1, users / 1_000))
        reads = number("reads-per-second", 4 * sends)
        pushes = number("pushes-per-second", 5 * sends)
        readers = number("readers", 20)
        isNative = values["clients"] != "shipped"
        files = number("files-per-day", users / 10)
        fileBytes = number("file-kilobytes", 500) * 1_000
        loops = number("loops", 2)
        instances = number("instances", 2)
    }

    static let options: [Command.Option] = [
        .init("users", .id, "accounts in use; 1000"),
        .init("sockets", .id, "open sockets at the busiest time; half of the users"),
        .init("sends-per-second", .id, "messages at the busiest time; one for 1000 users"),
        .init("reads-per-second", .id, "other calls at the busiest time; four for each send"),
        .init("pushes-per-second", .id, "pushes at the busiest time; five for each send"),
        .init("readers", .id, "open sockets that a message reaches; 20"),
        .init(
            "clients", .choice(["native", "shipped"]),
            "native ones have a socket for all rooms, shipped ones for one room"),
        .init("files-per-day", .id, "files in a day; one for ten users"),
        .init("file-kilobytes", .id, "the size of a file; 500"),
        .init("loops", .id, "cores that an instance uses; 2"),
        .init("instances", .id, "instances of each service at least; 2"),
    ]
}
