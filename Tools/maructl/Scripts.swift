import Glibc
import HTTP

/// Runs the scripts of deploy/ for backups. The audit log of operators has the begin and the outcome of a backup.
struct Scripts: Sendable {
    let client: OperatorClient

    func run(_ name: String, _ words: [String]) async throws -> Performer.Outcome {
        let script = "\(client.settings.deployFolder)/\(name)"
        guard access(script, X_OK) == 0 else {
            throw Performer.Refusal(
                status: .usage,
                reason: "\(script) does not exist: run deploy/maructl \(name) on the machine with the checkout")
        }
        let isOnlyHelp = words.contains("--help") || words.contains("-h") || words.contains("--check")
        // A backup is of a running product. A restore is of one that is stopped, and replaces the log.
        let isNoted = name == "backup" && !isOnlyHelp
        if isNoted { try await note("begun") }
        let hasSucceeded = try Self.wait(for: Self.start(script, words)) == 0
        var lines: [String] = []
        if isNoted {
            do { try await note(hasSucceeded ? "done" : "failed") } catch {
                lines = ["the outcome of the backup is not in the audit log: \(error)"]
            }
        }
        return Performer.Outcome(status: hasSucceeded ? .done : .failed, lines: lines)
    }

    private func note(_ outcome: String) async throws {
        _ = try await client.send(.post, .workspace, "/operator/backups/\(outcome)")
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
