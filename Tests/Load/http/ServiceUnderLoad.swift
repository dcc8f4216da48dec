import TestSupport

/// A `BenchService` in a process of its own, with a Redis.
struct ServiceUnderLoad {
    let process: ChildProcess
    let port: UInt16
    /// Tokens that it admits.
    let tokens: [String]

    static func start(loops: Int, redis: RedisServer, in folder: TemporaryFolder) async throws -> ServiceUnderLoad {
        let port = FreePort.pick()
        let tokens = "\(folder.path)/tokens-\(port)"
        let process = try ChildProcess.product(
            "bench-http", ["serve", "\(port)", "\(loops)", "\(redis.port)", tokens],
            log: "\(folder.path)/service-\(port).log")
        try await eventually { (try? RawConnection(port: port)) != nil }
        let lines = try String(contentsOfFile: tokens).split(separator: "\n").map(String.init)
        // The first call has the keys fetched: nothing is measured before.
        try await eventually {
            try await HTTPCall("GET", port: port, BenchService.target, headers: headers(token: lines[0])).reply().text
                == BenchService.reply
        }
        return ServiceUnderLoad(process: process, port: port, tokens: lines)
    }

    /// What a client app sends.
    static func headers(token: String) -> [(String, String)] {
        [
            ("SesacKey", "sooda"), ("Authorization", token), ("Accept", "application/json"),
            ("User-Agent", "Maru/1.0 (iPhone; iOS 17.4; Scale/3.00)"),
        ]
    }
}
