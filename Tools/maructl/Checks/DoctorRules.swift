import Wire

/// Judges the reports of the services about themselves. It does no I/O.
enum DoctorRules {
    private static let clockLimit: Int64 = 2000
    /// Seconds that something may wait before it is worth a look, and before it is wrong.
    private static let lag = (warning: 60, wrong: 600)
    /// Queues that wait for people, or that take their time.
    private static let slowQueues = ["reports", "export", "erasure"]
    private static let streamLimit = 1000

    /// The clocks: of the service against ours, and of its stores against the service's. The service read its clock at some moment
    /// between the call and the reply, so a slow reply is not a wrong clock.
    static func clock(
        _ service: String, _ status: JSONValue, askedAt: Timestamp, answeredAt: Timestamp
    ) -> Finding {
        let check = "clock of \(service)"
        guard let theirs = status.string("now").flatMap({ Timestamp($0) }) else {
            return Finding(check, .wrong, "it does not report its time")
        }
        let nearest = min(max(theirs.milliseconds, askedAt.milliseconds), answeredAt.milliseconds)
        var offsets = ["here": theirs.milliseconds - nearest]
        for store in ["postgres", "redis"] {
            offsets[store] = status[named: store]?.int("clockOffsetMilliseconds").map(Int64.init)
        }
        let far = offsets.filter { abs($0.value) > clockLimit }.sorted { $0.key < $1.key }
        guard far.isEmpty else {
            let parts = far.map { "\($0.value) ms against \($0.key)" }
            return Finding(check, .wrong, "it differs by \(parts.joined(separator: ", "))")
        }
        return Finding(check, .ok, "within \(offsets.values.map(abs).max() ?? 0) ms")
    }

    static func readiness(_ service: String, _ status: JSONValue) -> Finding {
        let state = status.string("state") ?? "unknown"
        return Finding(
            service, state == "ready" ? .ok : .wrong, "\(state), version \(status.string("version") ?? "unknown")")
    }

    /// All services have one version, and it is that of maructl.
    static func versions(_ statuses: [(service: String, status: JSONValue)], own: String) -> Finding {
        let versions = Set(statuses.compactMap { $0.status.string("version") })
        if versions == [own] { return Finding("versions", .ok, own) }
        let list = statuses.map { "\($0.service) \($0.status.string("version") ?? "unknown")" }
        return Finding("versions", .warning, "maructl \(own), \(list.joined(separator: ", "))")
    }

    /// The stores answer and are within their limits.
    static func limits(_ service: String, _ status: JSONValue) -> [Finding] {
        var findings: [Finding] = []
        for store in ["postgres", "redis"] where status[named: store]?.bool("up") == false {
            findings.append(Finding("\(store) of \(service)", .wrong, "it does not answer"))
        }
        func share(_ check: String, _ used: Int?, _ limit: Int?) {
            guard let used, let limit, limit > 0 else { return }
            let percent = used * 100 / limit
            findings.append(
                Finding(check, percent >= 95 ? .wrong : percent >= 80 ? .warning : .ok, "\(percent)% of \(limit)"))
        }
        let (postgres, redis) = (status["postgres"], status["redis"])
        share("connections to postgres", postgres?.int("connections"), postgres?.int("connectionLimit"))
        share("memory of redis", redis?.int("memory"), redis?.int("memoryLimit"))
        return findings
    }

    static func openFiles(_ service: String, _ status: JSONValue) -> Finding? {
        guard let connections = status.int("connectionLimit"), let files = status.int("openFileLimit") else {
            return nil
        }
        return Finding(
            "open files of \(service)", files > connections ? .ok : .wrong, "\(files) for \(connections) connections")
    }

    static func disk(_ service: String, _ status: JSONValue) -> Finding? {
        guard let free = status["disk"]?.int("freeBytes"), let size = status["disk"]?.int("sizeBytes"), size > 0 else {
            return nil
        }
        let percent = free * 100 / size
        return Finding(
            "disk of \(service)", percent < 5 ? .wrong : percent < 15 ? .warning : .ok,
            "\(percent)% free, \(free >> 20) MiB")
    }

    /// The schema has the migrations that the program knows, and no newer one.
    static func migrations(_ service: String, _ reply: JSONValue) -> Finding {
        let known = reply.int("known") ?? 0
        let applied = reply["applied"]?.elements.map(Array.init)?.last?.int("number") ?? 0
        let check = "migrations of \(service)"
        if applied == known { return Finding(check, .ok, "up to \(applied)") }
        return applied > known
            ? Finding(
                check, .warning, "the schema has \(applied), and the program knows \(known): it is of an older release")
            : Finding(check, .wrong, "the schema has \(applied), and the program wants \(known)")
    }

    /// Nothing waits for too long. One finding for a service without a problem, else one for each problem.
    static func lags(_ service: String, _ reply: JSONValue) -> [Finding] {
        var problems: [Finding] = []
        for queue in reply["queues"]?.elements.map(Array.init) ?? [] {
            let name = queue.string("queue") ?? ""
            if let error = queue.string("error") {
                problems.append(Finding("\(name) of \(service)", .warning, error))
            }
            guard let waiting = queue.int("waiting") else { continue }
            if let seconds = queue.int("oldestSeconds"), seconds > lag.warning, !slowQueues.contains(name) {
                problems.append(
                    Finding(
                        "\(name) of \(service)", seconds > lag.wrong ? .wrong : .warning,
                        "\(waiting) wait, the oldest for \(seconds) s"))
            }
            if queue.int("oldestSeconds") == nil, waiting > streamLimit {
                problems.append(Finding("\(name) of \(service)", .warning, "\(waiting) entries wait"))
            }
        }
        return problems.isEmpty ? [Finding("lag of \(service)", .ok, "nothing waits long")] : problems
    }

    /// - Parameter expiry: nil for a file without a certificate.
    static func certificate(_ expiry: Timestamp?, at now: Timestamp) -> Finding {
        guard let expiry else { return Finding("certificate", .wrong, "the file has no certificate") }
        let days = (expiry.milliseconds - now.milliseconds) / 86_400_000
        if expiry <= now { return Finding("certificate", .wrong, "it has expired") }
        return Finding("certificate", days < 14 ? .warning : .ok, "valid for \(days) days")
    }
}
