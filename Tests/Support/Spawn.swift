import Glibc

/// Starts programs that inherit only the given descriptors: all others are close-on-exec.
enum Spawn {
    /// Returns the process id, or a negative errno.
    static func start(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32 = -1, output: Int32
    ) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        for (target, source) in [(0, input), (1, output), (2, output)] as [(Int32, Int32)] {
            posix_spawn_file_actions_adddup2(&actions, source < 0 ? nothing : source, target)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A terminal's Ctrl-C goes only to the tests; they, or the guardian, end the children. Blocked signals are not
        // inherited.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)

        var process: pid_t = 0
        let failure = ([path] + arguments).withCStrings { argv in
            guard let environment else { return posix_spawn(&process, path, &actions, &attributes, argv, environ) }
            return environment.map { "\($0)=\($1)" }.withCStrings { envp in
                posix_spawn(&process, path, &actions, &attributes, argv, envp)
            }
        }
        return failure == 0 ? process : -failure
    }
}

extension [String] {
    fileprivate func withCStrings<Result>(
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
