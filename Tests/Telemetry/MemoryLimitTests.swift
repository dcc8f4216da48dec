import Glibc
import TestSupport
import Testing

@testable import Telemetry

@Suite("The memory limit of the process")
struct MemoryLimitTests {
    private static let machine = MemoryLimit.limit(files: [])

    private func limit(_ text: String) throws -> Double {
        let folder = TemporaryFolder()
        let path = folder.path + "/memory.max"
        let file = try #require(fopen(path, "we"))
        fputs(text, file)
        fclose(file)
        return MemoryLimit.limit(files: ["/nonexistent", path])
    }

    @Test("The limit of a control group counts if it is less than the machine's memory")
    func controlGroup() throws {
        #expect(try limit("1048576\n") == 1_048_576)
        #expect(try limit("max\n") == Self.machine)
        // Version 1 writes a number near 2^63 for no limit.
        #expect(try limit("9223372036854771712\n") == Self.machine)
        #expect(try limit("") == Self.machine)
        #expect(Self.machine > 1e8)
    }
}
