import GatewayLoad
import Glibc

/// `deploy/load realtime`: the same measurement as `deploy/bench fanout`.
@main
struct Load {
    static func main() async {
        guard let load = GatewayLoad(Array(CommandLine.arguments.dropFirst())) else { exit(2) }
        exit(await load.run())
    }
}
