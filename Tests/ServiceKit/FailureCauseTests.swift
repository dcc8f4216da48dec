import Contract
import Glibc
import Testing

@testable import Postgres
@testable import ServiceKit

@Suite("Failures by their cause")
struct FailureCauseTests {
    @Test(
        "A full disk and a busy store answer E99 with a time to retry",
        arguments: [
            PostgresError(.server, sqlState: "53100", message: "disk full"),
            FileStoreError(operation: "write", code: ENOSPC),
            S3Error(operation: "PUT", status: 503, code: "SlowDown"),
            S3Error(operation: "POST", status: 200, code: "InternalError"),
        ] as [any Error])
    func passing(_ cause: any Error) {
        let failure = Failure(causedBy: cause)
        #expect((failure.code, failure.status) == (.serverError, 503))
        #expect(failure.retryAfter == .seconds(1))
    }

    @Test(
        "Any other failure of the server has no Retry-After",
        arguments: [
            PostgresError(.server, sqlState: "42601", message: "syntax"),
            FileStoreError(operation: "write", code: EACCES),
            S3Error(operation: "PUT", status: 403, code: "AccessDenied"),
        ] as [any Error])
    func lasting(_ cause: any Error) {
        let failure = Failure(causedBy: cause)
        #expect((failure.code, failure.status) == (.serverError, 500))
        #expect(failure.retryAfter == nil)
    }
}
