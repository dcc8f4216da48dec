internal import Glibc

/// Runs a program that reads a file as its standard input and writes to a socket. It inherits nothing else: all descriptors of a
/// service are close-on-exec, and the environment is empty.
struct PreviewProcess {
    let program: String
    let arguments: [String]
    /// Bytes of output, at most; a process that writes more is killed.
    let maxOutput: Int

    /// The output of a process, and how it ended.
    struct Result {
        let output: [UInt8]
        /// The status of `waitpid`; 0 for a success.
        let status: Int32
    }

    /// Runs the program to its end. Blocks; the program limits its own time.
    ///
    /// - Throws: `FileStoreError` if it could not be started.
    func run(on input: Int32) throws -> Result {
        var ends: [Int32] = [-1, -1]
        // Close-on-exec from the start, so that no other program inherits an end.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw FileStoreError(operation: "make socket pair", code: errno)
        }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try start(input: input, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        let output = read(ends[0])
        close(ends[0])
        if output.count > maxOutput { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return Result(output: output, status: output.count > maxOutput ? SIGKILL : status)
    }

    private func read(_ descriptor: Int32) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while output.count <= maxOutput {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { output += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        return output
    }

    private func start(input: Int32, output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A service handles its signals by a descriptor and blocks them; the program must end by those of its limits.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let texts = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var process: pid_t = 0
        let failure = texts.withUnsafeBufferPointer { texts in
            var environment: UnsafeMutablePointer<CChar>?
            return posix_spawn(&process, program, &actions, &attributes, texts.baseAddress!, &environment)
        }
        guard failure == 0 else { throw FileStoreError(operation: "start \(program)", code: failure) }
        return process
    }
}
