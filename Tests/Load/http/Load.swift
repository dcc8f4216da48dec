import Glibc
import TestSupport

/// One run of wrk against a port.
struct Load {
    /// Requests answered.
    var requests: Int
    /// Server processor time a request, in microseconds.
    var processorPerRequest: Double

    struct Failed: Error, CustomStringConvertible { let description: String }

    /// Sends requests like a client app's for `seconds`, `depth` of them at once on each connection.
    static func run(
        on port: UInt16, of process: ChildProcess, connections: Int, seconds: Int, depth: Int = 1,
        in folder: TemporaryFolder
    ) async throws -> Load {
        let script = folder.path + "/pipeline-\(depth).lua"
        let file = fopen(script, "w")
        fputs(
            """
            wrk.headers["SesacKey"] = "0123456789abcdef"
            wrk.headers["Authorization"] = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMDI0In0.MEUCIQDa"
            wrk.headers["Accept"] = "application/json"
            wrk.headers["User-Agent"] = "Maru/1.0 (iPhone; iOS 17.4; Scale/3.00)"
            init = function()
                local one = {}
                for i = 1, \(depth) do one[i] = wrk.format("GET", "/v1/workspaces/1024/channels/77") end
                all = table.concat(one)
            end
            request = function() return all end

            """, file)
        fclose(file)
        let before = try ProcessUse.of(process.pid)
        let wrk = try ChildProcess(
            "/usr/bin/wrk",
            ["-t1", "-c\(connections)", "-d\(seconds)s", "-s", script, "http://127.0.0.1:\(port)/"],
            log: folder.path + "/wrk-\(depth)-\(port)-\(UInt32.random(in: 0...UInt32.max)).log")
        let status = await wrk.wait()
        let after = try ProcessUse.of(process.pid)
        let lines = wrk.output.split(separator: "\n")
        guard status == 0, !wrk.output.contains("Non-2xx"), !wrk.output.contains("Socket errors"),
            let line = lines.first(where: { $0.contains(" requests in ") }),
            let requests = Int(line.split(separator: " ")[0])
        else { throw Failed(description: wrk.output) }
        return Load(requests: requests, processorPerRequest: (after.processor - before.processor) / Double(requests))
    }
}
