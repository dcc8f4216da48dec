import Testing

@testable import Redis

@Suite struct RedisCommandTests {
    @Test("A command is an array of bulk strings with their lengths in bytes")
    func encoding() {
        let command = RedisCommand("SET", RedisKey("마루"), [0, 13, 10] as [UInt8], -7, 1.5)
        let text = "*5\r\n$3\r\nSET\r\n$6\r\n마루\r\n$3\r\n\u{0}\r\n\r\n$2\r\n-7\r\n$3\r\n1.5\r\n"
        #expect(command.bytes == Array(text.utf8))
    }

    @Test("More than nine arguments and long ones have the right counts")
    func longCounts() {
        let command = RedisCommand("DEL", (0..<12).map { _ in String(repeating: "k", count: 123) })
        let argument = "$123\r\n" + String(repeating: "k", count: 123) + "\r\n"
        #expect(command.bytes == Array(("*13\r\n$3\r\nDEL\r\n" + String(repeating: argument, count: 12)).utf8))
    }

    @Test("A command is routed by its first key, wherever it is among the arguments")
    func routing() {
        #expect(RedisCommand("GET", RedisKey("a")).key == "a")
        #expect(RedisCommand("EVALSHA", "digest", 2, RedisKey("b"), RedisKey("c"), "d").key == "b")
        #expect(RedisCommand("PING").key == nil)
        #expect(RedisCommand.acknowledge([.zero], ofStream: "s", group: "g").key == "s")
    }

    @Test("The name of a command in traces is its first word alone, without any part of its arguments")
    func names() {
        #expect(RedisCommand("PING").name == "PING")
        #expect(RedisCommand("PUBLISH", "room:channel-7", "\r\n$3\r\nSET\r\n").name == "PUBLISH")
    }

    @Test("A script's digest is the SHA-1 that Redis computes")
    func digest() {
        #expect(RedisScript("return 1").digest == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
    }
}
