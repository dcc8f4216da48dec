internal import Glibc

/// The memory that the process may use before the kernel kills it.
enum MemoryLimit {
    /// The files with the limit of the process's control group, as a container sees them: version 2, then version 1.
    private static let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

    /// The limit of the control group, or the memory of the machine if that is less or there is no limit.
    static var bytes: Double { limit(files: files) }

    static func limit(files: [String]) -> Double {
        let machine = Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE)))
        return files.compactMap(number(in:)).min().map { min($0, machine) } ?? machine
    }

    /// The number in a file; nil if there is none, as in a file with the word `max`.
    private static func number(in path: String) -> Double? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        return Double(String(decoding: bytes.prefix(max(0, count)).filter { $0 > 32 }, as: UTF8.self))
    }
}
