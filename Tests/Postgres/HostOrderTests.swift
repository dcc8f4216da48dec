import EventLoop
import Testing

@testable import Postgres

@Suite struct HostOrderTests {
    /// An event of a pool with three hosts.
    enum Step {
        case opened(Int)
        case fellSilent(Int)
        /// A search in which these hosts gave no answer and those refused.
        case searched(silent: [Int], refused: [Int])
    }

    @Test(
        "The host that worked last comes first, and hosts that did not answer come last for a shorter time",
        arguments: [
            ([], [0, 1, 2], 3),
            ([.opened(1)], [1, 2, 0], 3),
            ([.opened(2), .searched(silent: [], refused: [2])], [2, 0, 1], 3),
            ([.opened(0), .fellSilent(0)], [1, 2, 0], 2),
            ([.opened(0), .fellSilent(1)], [0, 2, 1], 2),
            ([.searched(silent: [0], refused: [1, 2])], [1, 2, 0], 2),
            ([.searched(silent: [0], refused: []), .opened(1)], [1, 2, 0], 2),
            ([.searched(silent: [0], refused: []), .searched(silent: [], refused: [0])], [1, 2, 0], 3),
            ([.searched(silent: [0], refused: []), .opened(0)], [0, 1, 2], 3),
            // If no host answers, the machine itself may be slow.
            ([.searched(silent: [0, 1, 2], refused: [])], [0, 1, 2], 3),
        ] as [([Step], [Int], Int)])
    func order(steps: [Step], expected: [Int], patient: Int) {
        var hosts = HostOrder(count: 3)
        for step in steps {
            switch step {
            case .opened(let host): hosts.opened(host)
            case .fellSilent(let host): hosts.fellSilent(host)
            case .searched(let silent, let refused):
                var search = hosts.search(within: .seconds(4))
                for host in silent { search.failed(host, isSilent: true, "") }
                for host in refused { search.failed(host, isSilent: false, "") }
                hosts.learn(from: search)
            }
        }
        var search = hosts.search(within: .seconds(4))
        var tries: [HostSearch.Try] = []
        while let next = search.next() { tries.append(next) }
        #expect(tries.map(\.host) == expected)
        #expect(tries.map(\.timeout) == (0..<3).map { $0 < patient ? .seconds(4) : .seconds(1) })
    }

    @Test("A session at another host than before counts as a failover")
    func failovers() {
        var hosts = HostOrder(count: 3)
        for host in [1, 1, 2, 2, 0] { hosts.opened(host) }
        #expect(hosts.failovers == 2)
    }

    @Test("A search says of each host why it failed")
    func summary() {
        var search = HostOrder(count: 2).search(within: .seconds(1))
        search.failed(0, isSilent: true, "a is silent")
        search.failed(1, isSilent: false, "b is read-only")
        #expect(search.summary == "a is silent; b is read-only")
        #expect(search.isSilent(0) && !search.isSilent(1))
    }

    @Test("A search takes the time limit for each silent address, and longer only if the process stood still")
    func standstill() {
        var search = HostSearch(at: 0, within: .seconds(4))
        search.failed(0, isSilent: false, "refused")
        #expect(!search.stoodStill(for: .seconds(5), within: .seconds(4)))
        #expect(search.stoodStill(for: .seconds(9), within: .seconds(4)))
        for _ in 1...3 { search.failed(0, isSilent: true, "silent") }
        #expect(!search.stoodStill(for: .seconds(13), within: .seconds(4)))
        #expect(search.stoodStill(for: .seconds(17), within: .seconds(4)))
    }

    @Test(
        "The hosts of a connection string are found in both forms, and names are told from addresses and sockets",
        arguments: [
            ("postgres://u:p@db:1234/x", ["db:1234"], ["db"]),
            ("postgresql://u@a,b:6000/x", ["a:5432", "b:6000"], ["a", "b"]),
            ("host=a,b,c port=6000 dbname=x", ["a:6000", "b:6000", "c:6000"], ["a", "b", "c"]),
            ("host=a,b port=1,2", ["a:1", "b:2"], ["a", "b"]),
            ("host=a,b hostaddr=127.0.0.1,127.0.0.2", ["a:5432", "b:5432"], []),
            ("host=/run/postgresql,a", ["/run/postgresql:5432", "a:5432"], ["a"]),
            ("hostaddr=127.0.0.1", ["127.0.0.1:5432"], []),
            ("dbname=x", ["local:5432"], []),
        ] as [(String, [String], [String])])
    func hosts(text: String, expected: [String], names: [String]) throws {
        let hosts = try ConnectionString(text).hosts
        #expect(hosts.map(\.description) == expected)
        #expect(hosts.compactMap(\.nameToResolve) == names)
    }

    @Test("Settings for one of several hosts name that host alone")
    func oneHost() throws {
        let settings = try ConnectionString("postgres://u@a:1,b:2/x")
        #expect(try settings.naming(settings.hosts[1]) == ConnectionString("postgres://u@b:2/x"))
        let address = try #require(SocketAddress(ip: "127.0.0.9", port: 2))
        #expect(try settings.at(address, of: "b") == ConnectionString("postgres://u@b:2/x?hostaddr=127.0.0.9"))
        #expect(settings.needsWritable)
        #expect(try !ConnectionString("host=a target_session_attrs=any").needsWritable)
    }
}
