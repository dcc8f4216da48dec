internal import EventLoop
internal import Glibc
internal import Telemetry
internal import Wire

/// Makes small forms of pictures, each in a process of its own: the program `picture-previews`, which stands beside the
/// service's program and limits its own time, memory and system calls before it reads a byte. A picture that attacks the decoder
/// costs that process.
///
/// A few processes run at once and as many again may wait; further pictures get no previews, so that uploads never queue.
public struct PicturePreviews: Sendable {
    private let process: PreviewProcess
    /// Nil if no previews are made.
    let pool: BlockingPool?
    private let counts: Counts

    /// The counters of the outcomes.
    private struct Counts: Sendable {
        let made, refused, failed: Counter
    }

    /// The file name of the program.
    static let program = "picture-previews"
    /// Pictures that may wait, for each process.
    private static let waitingPerProcess = 2

    /// - Parameter folder: the folder of the program; nil for that of the running one.
    init(within limits: PreviewLimits, in folder: String? = nil, metrics: MetricsRegistry, log: Log) {
        let path = "\(folder ?? Self.ownFolder)/\(Self.program)"
        process = PreviewProcess(program: path, arguments: limits.arguments, maxOutput: MadePreviews.maxOutput)
        func counter(_ outcome: StaticString) -> Counter {
            metrics.counter(
                "maru_previews_total", "Pictures of which previews were wanted, by the outcome.",
                labels: ["outcome": outcome.description])
        }
        counts = Counts(made: counter("made"), refused: counter("refused"), failed: counter("failed"))
        let exists = access(path, X_OK) == 0
        if limits.processes > 0, !exists {
            log.warning("the program for picture previews is missing", ["program": .name(path)])
        }
        pool =
            exists && limits.processes > 0
            ? BlockingPool(
                threads: limits.processes, limit: limits.processes * Self.waitingPerProcess, name: "previews") : nil
    }

    /// Makes the previews of a stored picture. Nil if it is none that the program can read within its limits, or if too many
    /// pictures wait.
    public func make(of name: String, in store: any FileStore) async -> MadePreviews? {
        guard let pool, let stored = try? await store.open(name) else { return nil }
        do {
            let process = process
            let result = try await pool.run { try process.run(on: stored.file.descriptor) }
            guard result.status == 0, let made = MadePreviews(result.output) else {
                counts.failed.increment()
                return nil
            }
            counts.made.increment()
            return made
        } catch is BlockingPool.Full {
            counts.refused.increment()
        } catch {
            counts.failed.increment()
        }
        return nil
    }

    private static var ownFolder: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        guard count > 0 else { return "." }
        let path = String(decoding: buffer[..<count], as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
