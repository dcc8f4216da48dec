import Glibc
import Synchronization

/// A folder of a test, removed with its last reference or at the end of the tests.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Makes the folder, owned by `user` if one is given.
    public init(_ name: String = "maru", ownedBy user: String? = nil) {
        var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        Guardian.ofThisProcess.watch(folder: path)
        if let user, let entry = getpwnam(user) { _ = chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) }
    }

    deinit { Spawn.run("/bin/rm", ["-rf", path]) }
}

extension String {
    /// The text of a file.
    public init(contentsOfFile path: String) throws {
        guard let file = fopen(path, "re") else { throw NeverHappened(description: "cannot read \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        self = String(decoding: bytes, as: UTF8.self)
    }
}

extension Spawn {
    /// Runs a short program to its end.
    @discardableResult
    static func run(_ path: String, _ arguments: [String]) -> Int32 {
        let process = start(path, arguments, output: -1)
        guard process > 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}

/// Loopback ports on which nothing listens.
public enum FreePort {
    /// The ports that were picked. A port is never given twice, because the test that picked it may listen later, or again.
    private static let picked = Mutex<Set<UInt16>>([])

    /// A free TCP port below the range that the kernel uses for outgoing connections, so that none of these takes it
    /// before it is used.
    public static func pick() -> UInt16 {
        while true {
            let port = UInt16.random(in: 15_000..<32_000)
            guard picked.withLock({ $0.insert(port).inserted }) else { continue }
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            let isFree = withUnsafePointer(to: sockaddr_in.loopback(port)) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return port }
        }
    }
}

extension sockaddr_in {
    static func loopback(_ port: UInt16) -> sockaddr_in {
        sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    }
}
