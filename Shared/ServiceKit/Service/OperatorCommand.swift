internal import Contract
internal import EventLoop
internal import Glibc
internal import HTTP
public import Wire

/// A command of an operator to a running service: `payment-service --config FILE reconcile` calls the internal port of
/// the service that runs with these settings and prints the reply.
public struct OperatorCommand: Sendable {
    let name: String
    let doc: String
    let path: String
    let deadline: Duration
    let succeeded: @Sendable (JSONValue) -> Bool

    /// - Parameters:
    ///   - doc: the description in `--help`.
    ///   - path: the path on the internal port; the request is a POST without a body.
    ///   - deadline: the time limit for the reply.
    ///   - succeeded: whether a reply means success; if not, the program exits with 1.
    public init(
        _ name: String, _ doc: String, posting path: String, within deadline: Duration,
        succeeded: @escaping @Sendable (JSONValue) -> Bool = { _ in true }
    ) {
        self.name = name
        self.doc = doc
        self.path = path
        self.deadline = deadline
        self.succeeded = succeeded
    }

    /// Runs the command as a whole process.
    func main(_ config: Config) -> Never {
        let loops = EventLoopGroup(count: 1)
        let service = config[CommonSettings.internalAddress]
        let client = InternalClient(
            "http://\(service.configText)", credential: config[CommonSettings.credential].revealed,
            http: HTTPClient(on: loops), deadline: deadline)
        Task(executorPreference: loops.loops[0]) {
            do {
                let reply = try await client.post(path)
                print(String(decoding: reply.text, as: UTF8.self))
                exit(succeeded(reply) ? 0 : 1)
            } catch {
                CommandLineOptions.fail("\(name): the service at \(service) failed: \(error)")
            }
        }
        while true { pause() }
    }
}
