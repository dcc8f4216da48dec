import ChatLoad
import Glibc

/// `bench-history [SECONDS]`: histories of 30 messages, beside what they cost Postgres.
@main
struct BenchHistory {
    static func main() async {
        do {
            try await HistoryBenchmark.run(seconds: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 5)
        } catch {
            print("bench-history: \(error)")
            exit(1)
        }
    }
}
