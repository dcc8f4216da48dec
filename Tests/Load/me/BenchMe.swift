import GatewayLoad
import Glibc

/// The program of `deploy/bench me`.
@main
struct BenchMe {
    static func main() async {
        guard let load = MeLoad(Array(CommandLine.arguments.dropFirst())) else { exit(2) }
        exit(await load.run())
    }
}
