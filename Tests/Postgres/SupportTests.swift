import Glibc
import TestSupport
import Testing

@Suite struct SupportTests {
    @Test("Programs that a test started end with it, even if it crashes")
    func guardian() async throws {
        let folder = TemporaryFolder("maru-support")
        let report = folder.path + "/pid"
        setenv("MARU_TEST_REPORT", report, 1)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let path = String(cString: getenv("MARU_TEST_REPORT"))
            let redis = try await RedisServer.start()
            let file = fopen(path, "w")
            fputs("\(redis.pid)", file)
            fclose(file)
            kill(getpid(), SIGKILL)
        }
        let process = try #require(pid_t(try String(contentsOfFile: report)))
        try await eventually { kill(process, 0) != 0 }
    }

    @Test("A durable Redis keeps acknowledged writes when it is killed")
    func durableRedis() async throws {
        let redis = try await RedisServer.start(isDurable: true)
        let before = try RawConnection(port: redis.port)
        try before.send("SET a 1\r\n")
        #expect(try before.receive(until: "\r\n") == "+OK\r\n")
        await redis.kill()
        try await redis.start()
        let after = try RawConnection(port: redis.port)
        try after.send("GET a\r\n")
        #expect(try after.receive(exactly: 7) == Array("$1\r\n1\r\n".utf8))
        await redis.stop()
    }

    @Test("The output, status and end of a program can be read")
    func child() async throws {
        let folder = TemporaryFolder("maru-support")
        let child = try ChildProcess("/bin/sh", ["-c", "echo ready; read line; exit 3"], log: folder.path + "/log")
        try await child.written("ready")
        #expect(await child.wait() == 3)
        let sleeper = try ChildProcess("/bin/sleep", ["100"], log: "/dev/null")
        #expect(sleeper.isRunning)
        #expect(await sleeper.stop() == 128 + SIGTERM)
    }
}
