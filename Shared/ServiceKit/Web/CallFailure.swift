internal import Contract

/// Why a call has failed.
struct CallFailure {
    /// What the client is told.
    let told: Failure
    /// Set where the server is to blame.
    let cause: (any Error)?

    init(_ error: any Error) {
        told = Failure(causedBy: error)
        cause = told.code == .serverError ? error : nil
    }
}
