import Glibc
import Synchronization

/// Ends child processes and removes temporary folders when this process ends, even if it is killed.
///
/// It is a shell that reads its tasks from a socket; the end of the socket shows that this process has ended.
final class Guardian: Sendable {
    static let ofThisProcess = Guardian()

    private let socket: Int32

    private static let script = """
        trap '' INT TERM HUP
        while read -r verb first second; do
            case $verb in
                watch) children="$children $first:$second" ;;
                forget) children=$(printf '%s ' $children | sed "s/ *[A-Z]*:$first / /g") ;;
                folder) folders="$folders $first" ;;
            esac
        done
        for child in $children; do kill -s "${child%%:*}" "${child##*:}" 2>/dev/null; done
        for turn in 1 2 3 4 5 6 7 8 9 10; do
            alive=
            for child in $children; do kill -0 "${child##*:}" 2>/dev/null && alive=yes; done
            [ -z "$alive" ] && break
            sleep 0.2
        done
        for child in $children; do kill -KILL "${child##*:}" 2>/dev/null; done
        rm -rf $folders
        """

    private init() {
        var ends: [Int32] = [0, 0]
        let isMade = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        precondition(isMade == 0)
        socket = ends[0]
        let child = Spawn.start("/bin/sh", ["-c", Self.script], input: ends[1], output: -1)
        precondition(child > 0)
        close(ends[1])
    }

    /// Sends `signal` to the process at the end, such as `KILL` or `QUIT`.
    func watch(_ process: pid_t, endingWith signal: String) { send("watch \(signal) \(process)\n") }

    func forget(_ process: pid_t) { send("forget \(process)\n") }

    func watch(folder: String) { send("folder \(folder)\n") }

    private func send(_ line: String) {
        let count = Array(line.utf8).withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        precondition(count == line.utf8.count, "the guardian process is gone")
    }
}
