public import Contract
public import EventLoop
internal import Glibc
public import Postgres
public import Telemetry
internal import Wire

/// Runs a service from its start to its end.
public enum Service {
    /// Builds a service; an error keeps the service from starting.
    public typealias Assembly = @Sendable (ServiceBuilder) async throws -> Void

    /// Runs a service as a whole process: reads the settings, starts, and stops on SIGTERM or SIGINT.
    ///
    /// Exits with 0 after an orderly stop, 1 if the service cannot start, and 2 for a wrong command line or wrong
    /// settings.
    ///
    /// - Parameters:
    ///   - commands: commands that make a running service do something.
    ///   - migrations: those of the service's schema, for `--print-migrations`.
    ///   - reference: the description of the service's API, which `--print-reference` prints.
    public static func main(
        _ name: String, settings: [ConfigEntry], commands: [OperatorCommand] = [], migrations: [Migration],
        reference: ServiceReference, assemble: @escaping Assembly
    ) -> Never {
        let entries = Self.settings(of: name, settings)
        let config = CommandLineOptions.config(of: name, entries, commands, migrations, reference: reference)
        let shutdown = Shutdown()
        // Before any thread starts, so that no other thread receives the signals.
        let signals = SignalSource([SIGTERM, SIGINT]) { _ in shutdown.request() }
        let loops = EventLoopGroup(count: config.loopCount)
        signals.start(on: loops.loops[0])
        let output = LogOutput()
        let log = Log(service: name, level: config[CommonSettings.logLevel], to: output)
        Task(executorPreference: loops.loops[0]) {
            do {
                shutdown.started(try await start(name, config, on: loops, log: log, assemble: assemble))
            } catch {
                log.error("cannot start", ["version": .name(Build.version), "cause": .cause(error)])
                await output.flush()
                exit(1)
            }
        }
        shutdown.wait()
        log.info("stopped")
        Task {
            await output.flush()
            exit(0)
        }
        while true { pause() }
    }

    /// Starts a service within a process, on the caller's loops. If it throws, nothing of the service remains on the
    /// loops.
    public static func start(
        _ name: String, _ config: Config, on loops: EventLoopGroup, log: Log, assemble: @escaping Assembly
    ) async throws -> RunningService {
        try await loops.loops[0].run {
            let builder = try ServiceBuilder(name: name, config: config, loops: loops, log: log)
            do {
                try await assemble(builder)
                let service = try await builder.start()
                log.info(
                    "started",
                    [
                        "version": .name(Build.version), "public": .name(service.publicAddress.description),
                        "internal": .name(service.internalAddress.description),
                    ])
                return service
            } catch {
                await builder.close()
                throw error
            }
        }
    }
}

extension Service {
    /// All settings of a service: the common ones and then its own.
    public static func settings(of name: String, _ own: [ConfigEntry]) -> [ConfigEntry] {
        CommonSettings.entries(of: name) + own
    }
}
