import Wire

/// The machines for a demand, computed from `CapacityFigures`. It does no I/O.
struct CapacityPlan: Sendable, Equatable {
    /// A need: an amount, and the parts that it is made of.
    struct Need: Sendable, Equatable {
        let name: String
        let amount: Double
        let unit: String
        let parts: [Part]
    }

    struct Part: Sendable, Equatable {
        let name: String
        let amount: Double
    }

    let needs: [Need]

    /// The share of the cores that the busiest time may use. Latencies rise steeply above it.
    static let busyShare = 0.6
    /// The part of the memory that is free for caches and peaks.
    static let freeMemory = 0.5
    /// The messages of a year are those of a year at this share of the busiest time.
    static let averageShare = 0.2
    /// Open sockets of an instance of realtime-gateway, as in the autoscaling of docs/kubernetes.md.
    static let socketsOfGateway = 20_000.0
    /// Postgres connections of a loop: `database_connections`, and one more in chat-service.
    static let connectionsOfLoop = 4.0
    private static let services = 5.0
    private static let secondsOfYear = 365.0 * 86_400

    init(for demand: CapacityDemand) {
        typealias Figures = CapacityFigures
        let cores = [
            ("sends", demand.sends * Figures.send.value),
            ("deliveries", demand.sends * demand.readers * Figures.delivery.value),
            ("open sockets", demand.sockets * Figures.idleSocket.value),
            ("reads", demand.reads * Figures.read.value), ("pushes", demand.pushes * Figures.push.value),
        ].map { ($0, $1 / 1_000_000 / Self.busyShare) }
        let gateways = max(demand.instances, (demand.sockets / Self.socketsOfGateway).rounded(.up))
        let instances = demand.instances * (Self.services - 1) + gateways
        let connections = demand.loops * (instances * Self.connectionsOfLoop + demand.instances)
        let socket = demand.isNative ? Figures.meSocketMemory : Figures.socketMemory
        let memory = [
            ("services", instances * Figures.instanceMemory.value), ("sockets", demand.sockets * socket.value),
            ("nginx", demand.sockets * Figures.proxiedSocketMemory.value),
            ("Postgres", connections * Figures.connectionMemory.value),
            ("Redis", demand.users * Figures.userMemory.value),
        ].map { ($0, $1 / 1e9 / (1 - Self.freeMemory)) }
        let disk = [
            ("messages", demand.sends * Self.averageShare * Self.secondsOfYear * Figures.messageDisk.value),
            ("files", demand.files * 365 * demand.fileBytes),
        ].map { ($0, $1 / 1e9) }
        needs = [
            Self.need("cores", "", cores), Self.need("memory", "GB", memory), Self.need("disk a year", "GB", disk),
            Need(name: "instances of realtime-gateway", amount: gateways, unit: "", parts: []),
            Need(name: "connections to Postgres", amount: connections, unit: "", parts: []),
            Need(name: "open connections of nginx", amount: 2 * demand.sockets, unit: "", parts: []),
        ]
    }

    private static func need(_ name: String, _ unit: String, _ parts: [(String, Double)]) -> Need {
        Need(
            name: name, amount: parts.map(\.1).reduce(0, +), unit: unit, parts: parts.map { Part(name: $0, amount: $1) }
        )
    }

    /// The plan for a terminal.
    var lines: [String] {
        let rows = needs.map { need in
            let parts = need.parts.map { "\($0.name) \(CapacityFigure.text($0.amount))" }.joined(separator: ", ")
            return [need.name, "\(Self.text(need)) \(need.unit)", parts]
        }
        return Table(columns: ["need", "amount", "parts"], rows: rows).lines
    }

    /// Amounts that are made of parts are rounded up to a tenth, because they are estimates of a need.
    private static func text(_ need: Need) -> String {
        CapacityFigure.text(need.parts.isEmpty ? need.amount : (need.amount * 10).rounded(.up) / 10)
    }

    /// The plan as JSON, not rounded.
    var json: [UInt8] {
        JSONWriter.bytes(capacity: 2048) { json in
            json.object { json in
                json.array("needs") { json in
                    for need in needs {
                        json.object { json in
                            json.field("name", need.name)
                            json.field("amount", need.amount)
                            if !need.unit.isEmpty { json.field("unit", need.unit) }
                            if !need.parts.isEmpty {
                                json.array("parts") { json in
                                    for part in need.parts {
                                        json.object { json in
                                            json.field("name", part.name)
                                            json.field("amount", part.amount)
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
