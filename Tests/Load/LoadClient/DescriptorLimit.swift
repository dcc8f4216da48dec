import Glibc

/// The limit of file descriptors of this process.
public enum DescriptorLimit {
    /// Raises the limit as far as the system allows and returns it.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(limit.rlim_cur)
    }
}
