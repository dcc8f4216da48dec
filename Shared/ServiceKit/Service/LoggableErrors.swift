public import Contract
public import HTTP
public import Postgres
public import Redis
public import Telemetry

// The descriptions of these errors never contain text that users wrote.
extension PostgresError: LoggableError {
    public var logText: String { description }
}

extension RedisError: LoggableError {
    public var logText: String { "redis \(self)" }
}

extension HTTPClient.Failure: LoggableError {
    public var logText: String { "http client \(kind)" }
}

extension Failure: LoggableError {
    public var logText: String { "\(code.rawValue) \(detail)" }
}

extension ConfigError: LoggableError {
    public var logText: String { description }
}

extension ClientProfileError: LoggableError {
    public var logText: String { description }
}

extension FileStoreError: LoggableError {
    public var logText: String { description }
}

extension MigrationError: LoggableError {
    public var logText: String {
        switch self {
        case .unordered(let number): "migration \(number) is out of order"
        case .changed(let number, let name): "migration \(number) \(name) was changed after it was applied"
        case .missing(let number): "migration \(number) comes before one that was already applied"
        case .newer(let number): "the database has migration \(number), which this version does not know"
        case .noExtension(let name): "the database lacks the extension \(name): create extension \(name)"
        case .failed(let number, let name, let error): "migration \(number) \(name): \(error)"
        }
    }
}
