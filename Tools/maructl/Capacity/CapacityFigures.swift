/// The figures of a machine with two cores. The measured ones are those of docs/performance.md.
enum CapacityFigures {
    /// At the slowest rate that was recorded on two cores, with the load client on them: 7,000 a second.
    static let send = CapacityFigure(
        name: "a send, with its commit in Postgres", value: 286, unit: .microseconds,
        command: "deploy/bench sends")
    static let delivery = CapacityFigure(
        name: "a delivery of a message to a socket", value: 5.7, unit: .microseconds,
        command: "deploy/bench fanout a")
    static let idleSocket = CapacityFigure(
        name: "an open socket, each second", value: 1, unit: .microseconds,
        command: "deploy/bench fanout d")
    static let read = CapacityFigure(
        name: "a call that reads, with Postgres", value: 880, unit: .microseconds,
        command: "deploy/load product --costs")
    static let push = CapacityFigure(
        name: "a push to a device", value: 446, unit: .microseconds, command: "deploy/bench fanout e"
    )
    static let socketMemory = CapacityFigure(
        name: "memory of a socket of one room in realtime-gateway", value: 4_900, unit: .bytes,
        command: "deploy/bench fanout d")
    static let meSocketMemory = CapacityFigure(
        name: "memory of a `/me` socket with 50 rooms in realtime-gateway", value: 18_600, unit: .bytes,
        command: "deploy/bench me devices")
    static let proxiedSocketMemory = CapacityFigure(
        name: "memory of a socket in nginx", value: 25_000, unit: .bytes,
        command: "deploy/load product")
    /// Four services had 16 MB together under load; the fifth is the gateway with its sockets.
    static let instanceMemory = CapacityFigure(
        name: "memory of an instance of a service, beside its sockets", value: 4_000_000, unit: .bytes,
        command: "deploy/load product")
    static let connectionMemory = CapacityFigure(
        name: "memory of a connection in Postgres", value: 4_500_000, unit: .bytes,
        command: "deploy/load product --costs")
    static let userMemory = CapacityFigure(
        name: "memory of a user in Redis: cursors, presence, rate limits", value: 210, unit: .bytes,
        command: "deploy/bench me devices")
    /// 6,000 messages of about 45 characters: 367 B in `message`, 578 B in the table of search.
    static let messageDisk = CapacityFigure(
        name: "disk of a message in Postgres, with its indexes and its search entry", value: 945, unit: .bytes,
        command: "select pg_total_relation_size")

    static let all = [
        send, delivery, idleSocket, read, push, socketMemory, meSocketMemory, proxiedSocketMemory, instanceMemory,
        connectionMemory, userMemory, messageDisk,
    ]
}
