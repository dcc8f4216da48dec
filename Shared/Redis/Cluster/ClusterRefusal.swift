/// Why a node of a cluster does not execute a command that another node or a later attempt may.
enum ClusterRefusal: Equatable {
    /// Another master has the slot.
    case moved(slot: Int, to: ClusterNode)
    /// The slot is on its way to another master, which has the key already: only this command goes there.
    case ask(slot: Int, at: ClusterNode)
    /// The keys of the command are on two nodes while their slot is on its way.
    case tryAgain
    /// No master serves the slot at present.
    case clusterDown
    /// The node is still loading its data.
    case loading

    /// Reads an error of `node`; nil for an error that says nothing about the cluster.
    init?(_ refusal: RedisRefusal, from node: ClusterNode) {
        let words = refusal.message.split(separator: " ")
        switch words.first {
        case "MOVED", "ASK":
            guard words.count >= 3, let slot = Int(words[1]), (0..<HashSlot.count).contains(slot),
                let other = ClusterNode(words[2], namedBy: node)
            else { return nil }
            self = words[0] == "ASK" ? .ask(slot: slot, at: other) : .moved(slot: slot, to: other)
        case "TRYAGAIN": self = .tryAgain
        case "CLUSTERDOWN": self = .clusterDown
        case "LOADING": self = .loading
        default: return nil
        }
    }

    /// Whether the map of the cluster is out of date, or soon will be.
    var asksForMap: Bool {
        switch self {
        case .moved, .clusterDown, .loading: true
        case .ask, .tryAgain: false
        }
    }

    /// For metrics.
    var name: String {
        switch self {
        case .moved: "moved"
        case .ask: "ask"
        case .tryAgain: "tryagain"
        case .clusterDown: "clusterdown"
        case .loading: "loading"
        }
    }
}
