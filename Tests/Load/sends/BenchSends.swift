import ChatLoad
import Glibc

/// `bench-sends [SECONDS]`: sends as fast as 64 connections can, beside pgbench with the same messages.
@main
struct BenchSends {
    static func main() async {
        do {
            try await SendsBenchmark.run(seconds: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8)
        } catch {
            print("bench-sends: \(error)")
            exit(1)
        }
    }
}
