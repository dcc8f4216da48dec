public import EventLoop
internal import Glibc
public import Telemetry
internal import Wire

/// A service from its first to its last instruction.
public enum Service {
    /// Puts a service together; what it throws keeps the service from starting.
    public typealias Assembly = @Sendable (ServiceBuilder) async throws -> Void

    /// Runs a service as the whole of a process: reads the settings, starts, and ends on SIGTERM or SIGINT.
    ///
    /// Exits with 0 after an orderly end, 1 when the service cannot start, 2 for a wrong
    /// command line or wrong settings.
    ///
    /// - Parameter commands: what operators can have the running service do by the same program.
    public static func main(
        _ name: String, settings: [ConfigEntry], commands: [OperatorCommand] = [], assemble: @escaping Assembly
    ) -> Never {
        let entries = Self.settings(of: name, settings)
        let config = CommandLineOptions.config(of: name, entries, commands)
        let ending = Ending()
        // Before any thread is started, so that none of them takes the signals.
        let signals = SignalSource([SIGTERM, SIGINT]) { _ in ending.ask() }
        let loops = EventLoopGroup(count: config.loopCount)
        signals.start(on: loops.loops[0])
        let output = LogOutput()
        let log = Log(service: name, level: config[CommonSettings.logLevel], to: output)
        Task(executorPreference: loops.loops[0]) {
            do {
                let service = try await start(name, config, on: loops, log: log, assemble: assemble)
                log.info(
                    "started",
                    [
                        "public": .name(service.publicAddress.description),
                        "internal": .name(service.internalAddress.description),
                    ])
                ending.ready(service)
            } catch {
                log.error("cannot start", ["cause": .cause(error)])
                await output.flush()
                exit(1)
            }
        }
        ending.wait()
        log.info("stopped")
        Task {
            await output.flush()
            exit(0)
        }
        while true { pause() }
    }

    /// Starts a service within a process, on loops of the caller's. Where it throws, nothing of the service is left on
    /// them.
    public static func start(
        _ name: String, _ config: Config, on loops: EventLoopGroup, log: Log, assemble: @escaping Assembly
    ) async throws -> RunningService {
        try await loops.loops[0].run {
            let builder = try ServiceBuilder(name: name, config: config, loops: loops, log: log)
            do {
                try await assemble(builder)
                return try await builder.finish()
            } catch {
                // Nobody is left who could end what was begun.
                await builder.end()
                throw error
            }
        }
    }
}

extension Service {
    /// All settings of a service: those that every service has, then its own.
    public static func settings(of name: String, _ own: [ConfigEntry]) -> [ConfigEntry] {
        CommonSettings.entries(of: name) + own
    }
}
