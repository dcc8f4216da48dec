import Glibc

/// How many sockets this process may have.
public enum DescriptorLimit {
    /// Raises the limit as far as the system lets it; returns what it is now.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(limit.rlim_cur)
    }
}
