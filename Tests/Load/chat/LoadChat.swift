import ChatLoad
import Glibc

/// `load-chat [SECONDS]`: the load of chat-service, which is that of `bench-sends`.
@main
struct LoadChat {
    static func main() async {
        do {
            try await SendsBenchmark.run(seconds: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8)
        } catch {
            print("load-chat: \(error)")
            exit(1)
        }
    }
}
