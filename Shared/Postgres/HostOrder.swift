/// The order in which a pool tries the hosts of its connection string: the host that worked last comes first.
///
/// A host that did not answer is tried last and for a shorter time, so that a frozen host delays no search for the writable
/// one. Hosts are numbers, in the order of the connection string.
struct HostOrder: Equatable {
    let count: Int
    /// The host that is tried first.
    private(set) var first = 0
    /// The hosts that did not answer when they were tried last.
    private(set) var silent: Set<Int> = []
    /// How often the pool has found the writable server at another host than before.
    private(set) var failovers = 0
    private var lastOpened: Int?

    init(count: Int) { self.count = max(1, count) }

    /// A session was opened at `host`.
    mutating func opened(_ host: Int) {
        if let lastOpened, lastOpened != host { failovers += 1 }
        lastOpened = host
        first = host
        silent.remove(host)
    }

    /// The sessions at `host` do not answer any more.
    mutating func fellSilent(_ host: Int) {
        silent.insert(host)
        if first == host { first = (host + 1) % count }
    }

    /// Takes over the results of a search.
    mutating func learn(from search: HostSearch) {
        for failure in search.failures {
            if failure.isSilent { fellSilent(failure.host) } else { silent.remove(failure.host) }
        }
    }

    /// A search through all hosts.
    ///
    /// - Parameter timeout: for each host; a quarter of it for a host that was silent, unless all were.
    func search(within timeout: Duration) -> HostSearch {
        let order = (0..<count).map { (first + $0) % count }
        let isShortened = silent.count < count
        let answering = order.filter { !silent.contains($0) }.map { HostSearch.Try(host: $0, timeout: timeout) }
        let others = order.filter(silent.contains).map {
            HostSearch.Try(host: $0, timeout: isShortened ? timeout / 4 : timeout)
        }
        return HostSearch(tries: answering + others)
    }
}

/// One search for the writable server: each host is tried once, until one accepts a session.
struct HostSearch: Equatable {
    struct Try: Equatable {
        let host: Int
        /// The time limit for opening a session, including name resolution.
        let timeout: Duration
    }

    struct Failure: Equatable {
        let host: Int
        /// Whether the host gave no answer in time.
        let isSilent: Bool
        let message: String
    }

    private var tries: ArraySlice<Try>
    private(set) var failures: [Failure] = []

    init(tries: [Try]) { self.tries = tries[...] }

    /// A search at one host.
    init(at host: Int, within timeout: Duration) { self.init(tries: [Try(host: host, timeout: timeout)]) }

    /// The next host to try; nil if all have failed.
    mutating func next() -> Try? { tries.popFirst() }

    mutating func failed(_ host: Int, isSilent: Bool, _ message: String) {
        failures.append(Failure(host: host, isSilent: isSilent, message: message))
    }

    func isSilent(_ host: Int) -> Bool { failures.contains { $0.host == host && $0.isSilent } }

    /// Whether a search has taken so long that the process must have stood still meanwhile. Each address that gives no
    /// answer takes the time limit, and a name may have several.
    func stoodStill(for time: Duration, within timeout: Duration) -> Bool {
        time > timeout * (1 + max(1, failures.count(where: \.isSilent)))
    }

    /// Why no host accepted a session.
    var summary: String { failures.map(\.message).joined(separator: "; ") }
}
