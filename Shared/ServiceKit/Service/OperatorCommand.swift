internal import Contract
internal import EventLoop
internal import Glibc
internal import HTTP
public import Wire

/// Something that an operator has a running service do: `payment-service --config FILE reconcile` asks the service
/// of these settings on its internal port, and prints the reply.
public struct OperatorCommand: Sendable {
    let name: String
    let doc: String
    let path: String
    let deadline: Duration
    let succeeded: @Sendable (JSONValue) -> Bool

    /// - Parameters:
    ///   - doc: what it does, for `--help`.
    ///   - path: what is posted to on the internal port, without a body.
    ///   - deadline: how long the service may take.
    ///   - succeeded: whether a reply means that all is well; else the program exits with 1.
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

    /// Runs it as the whole of a process.
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
                CommandLineOptions.fail("\(name): the service at \(service) does not do it: \(error)")
            }
        }
        while true { pause() }
    }
}
