import EventLoop
import Glibc
import HTTP

/// `standins --port 8190 --mail-port 8191 --service-account FILE` serves the stand-ins of Kakao, Apple, FCM, PortOne,
/// OpenID Connect issuers, a collector of traces and a mail server on 127.0.0.1.
@main
enum Standins {
    static func main() throws {
        guard let options = StandinOptions(CommandLine.arguments.dropFirst()) else {
            print("usage: standins [--port PORT] [--mail-port PORT] [--service-account FILE]")
            exit(2)
        }
        let control = EventLoop()
        let signals = SignalSource([SIGTERM, SIGINT]) { _ in control.stop() }
        signals.start(on: control)
        let group = EventLoopGroup(count: 1)
        let standins = try ProviderStandins(serviceAccountFile: options.serviceAccountFile)
        let address = try standins.server(on: group).start(at: SocketAddress(ip: "127.0.0.1", port: options.port)!)
        let mail = try standins.mail.listen(
            on: group.loops[0], at: SocketAddress(ip: "127.0.0.1", port: options.mailPort)!)
        print("stand-ins on http://\(address) and smtp://\(mail.address)")
        fflush(nil)
        control.run()
        withExtendedLifetime(mail) {}
        group.stop()
    }
}
