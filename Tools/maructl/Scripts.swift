import Glibc
import HTTP

/// Runs the scripts of deploy/ for backups. A backup is an act in the audit log of operators, which has its begin: the
/// outcome is that of the command.
struct Scripts: Sendable {
    let client: OperatorClient

    func run(_ name: String, _ words: [String]) async throws -> Performer.Outcome {
        let script = "\(client.settings.deployFolder)/\(name)"
        guard access(script, X_OK) == 0 else {
            throw Performer.Refusal(
                status: .usage,
                reason: "\(script) is not there: run deploy/maructl \(name) on the machine with the checkout")
        }
        let isOnlyHelp = words.contains("--help") || words.contains("-h") || words.contains("--check")
        // A backup is of a running product. A restore is of one that is stopped, and replaces the log.
        if name == "backup", !isOnlyHelp { _ = try await client.send(.post, .workspace, "/operator/backups") }
        let status = try Self.wait(for: Self.start(script, words))
        return Performer.Outcome(status: status == 0 ? .done : .failed, lines: [])
    }

    private static func start(_ script: String, _ words: [String]) throws -> pid_t {
        var pid = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = ([script] + words).map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let code = posix_spawn(&pid, script, nil, nil, &arguments, environ)
        guard code == 0 else {
            throw Performer.Refusal(status: .failed, reason: "\(script): \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static func wait(for pid: pid_t) throws -> Int32 {
        var status = Int32()
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw Performer.Refusal(status: .failed, reason: "the script was lost") }
        }
        return status
    }
}
