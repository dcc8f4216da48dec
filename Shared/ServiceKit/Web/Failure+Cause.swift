internal import Contract
internal import EventLoop
internal import HTTP
internal import Postgres
internal import Redis
internal import Wire

extension Failure {
    /// The failure that a client sees for `error`. An error that the client did not cause is a server error; its cause is
    /// for the log.
    init(causedBy error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as BodyError: self = Failure(error)
        case let error as PostgresError: self = Failure(error)
        case let error as Refusal: self = Failure(error)
        case is JSONError: self = .invalid("The body is not valid JSON.")
        case is InvalidFileName: self = .notFound
        case is BlockingPool.Full: self = .overloaded
        case let error as S3Error where error.isPassing: self = .unavailable
        case let error as FileStoreError where error.isOutOfSpace: self = .unavailable
        case is RedisError, is HTTPClient.Failure, is CancellationError: self = .unavailable
        default: self = .serverError
        }
    }

    private init(_ error: BodyError) {
        switch error {
        case .tooLarge: self = .tooLarge("The body is too large.")
        case .timeout: self = Failure(.invalidRequest, "The body arrived too slowly.", status: 408)
        case .malformed, .disconnected, .alreadyRead: self = .invalid("The body is not valid.")
        }
    }

    private init(_ error: PostgresError) {
        switch error.kind {
        case .exhausted: self = .overloaded
        case .unavailable, .connectionLost, .timeout, .cancelled, .closed: self = .unavailable
        case .invalidParameter: self = .invalid("A text contains a NUL character.")
        case .server where error.isOutOfResources: self = .unavailable
        case .server, .unexpectedColumn, .transactionEnded: self = .serverError
        }
    }

    init(_ refusal: Refusal) {
        switch refusal {
        case .overloaded: self = .overloaded
        case .handlerFailed(let error): self.init(causedBy: error)
        case .bodyTooLarge, .targetTooLong, .headersTooLarge: self = .tooLarge("The request is too large.")
        case .timeout: self = Failure(.invalidRequest, "The request arrived too slowly.", status: 408)
        case .malformed, .unsupportedVersion, .unsupportedCoding, .expectationFailed:
            self = Failure(.invalidRequest, "The request is not valid HTTP.", status: Int(refusal.status.code))
        }
    }
}
