import GatewayLoad
import Glibc

/// The program of `deploy/bench fanout`.
@main
struct Bench {
    static func main() async {
        guard let load = GatewayLoad(Array(CommandLine.arguments.dropFirst())) else { exit(2) }
        exit(await load.run())
    }
}
