import Glibc
import LoadClient
import TestSupport

/// A run of wrk: the requests, the connections and the duration.
struct Load {
    /// Access tokens; the requests use them in turn.
    var tokens: [String]
    var connections: Int
    var seconds: Int

    /// The result of a run.
    struct Outcome {
        /// Answered requests.
        var requests: Int
        /// Processor time of the server for each request, in microseconds.
        var processorPerRequest: Double
    }

    struct Failed: Error, CustomStringConvertible { let description: String }

    /// Sends requests like a client app's to `port`, which the process of `meter` serves.
    func run(on port: UInt16, of meter: ProcessMeter, in folder: TemporaryFolder) async throws -> Outcome {
        let script = "\(folder.path)/load.lua"
        let file = fopen(script, "w")
        fputs(text, file)
        fclose(file)
        let before = meter.processorTime
        let wrk = try ChildProcess(
            "/usr/bin/wrk",
            ["-t1", "-c\(connections)", "-d\(seconds)s", "-s", script, "http://127.0.0.1:\(port)/"],
            log: "\(folder.path)/wrk-\(UInt32.random(in: 0...UInt32.max)).log")
        let status = await wrk.wait()
        let used = meter.processorTime - before
        guard status == 0, !wrk.output.contains("Non-2xx"), !wrk.output.contains("Socket errors"),
            let line = wrk.output.split(separator: "\n").first(where: { $0.contains(" requests in ") }),
            let requests = Int(line.split(separator: " ")[0])
        else { throw Failed(description: wrk.output) }
        return Outcome(requests: requests, processorPerRequest: Double(used) / 1000 / Double(requests))
    }

    /// The script, which formats each request once, so that wrk costs little beside the server.
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
                    requests[i] = wrk.format("GET", "\(ServiceUnderLoad.target)")
                end
            end
            request = function()
                last = last % #requests + 1
                return requests[last]
            end

            """
    }
}
