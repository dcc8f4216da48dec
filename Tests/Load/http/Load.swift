import Glibc
import TestSupport

/// A run of wrk: what it sends, how much at once and for how long.
struct Load {
    /// The requests take turns with these.
    var tokens: [String]
    var connections: Int
    var seconds: Int
    /// Requests at once on each connection.
    var depth: Int

    /// What came of a run.
    struct Outcome {
        /// Requests answered.
        var requests: Int
        /// Server processor time a request, in microseconds.
        var processorPerRequest: Double
    }

    struct Failed: Error, CustomStringConvertible { let description: String }

    /// Sends requests like a client app's to `port`, which `process` serves.
    func run(on port: UInt16, of process: ChildProcess, in folder: TemporaryFolder) async throws -> Outcome {
        let script = "\(folder.path)/load.lua"
        let file = fopen(script, "w")
        fputs(text, file)
        fclose(file)
        let before = try ProcessUse.of(process.pid)
        let wrk = try ChildProcess(
            "/usr/bin/wrk",
            ["-t1", "-c\(connections)", "-d\(seconds)s", "-s", script, "http://127.0.0.1:\(port)/"],
            log: "\(folder.path)/wrk-\(UInt32.random(in: 0...UInt32.max)).log")
        let status = await wrk.wait()
        let after = try ProcessUse.of(process.pid)
        guard status == 0, !wrk.output.contains("Non-2xx"), !wrk.output.contains("Socket errors"),
            let line = wrk.output.split(separator: "\n").first(where: { $0.contains(" requests in ") }),
            let requests = Int(line.split(separator: " ")[0])
        else { throw Failed(description: wrk.output) }
        return Outcome(
            requests: requests, processorPerRequest: (after.processor - before.processor) / Double(requests))
    }

    /// The script: a request of each token is made once, so that wrk costs little beside the server.
    private var text: String {
        let headers = ServiceUnderLoad.headers(token: "").filter { $0.0 != "Authorization" }
        return """
            \(headers.map { "wrk.headers[\"\($0)\"] = \"\($1)\"" }.joined(separator: "\n"))
            local tokens = { \(tokens.map { "\"\($0)\"" }.joined(separator: ",\n")) }
            local requests = {}
            local last = 0
            init = function()
                for i, token in ipairs(tokens) do
                    wrk.headers["Authorization"] = token
                    requests[i] = string.rep(wrk.format("GET", "\(BenchService.target)"), \(depth))
                end
            end
            request = function()
                last = last % #requests + 1
                return requests[last]
            end

            """
    }
}
