internal import Contract

/// The failure of a call, for the client and for the log.
struct CallFailure {
    /// The failure that the client sees.
    let visible: Failure
    /// The error for the log; nil unless the failure is the server's fault.
    let cause: (any Error)?

    init(_ error: any Error) {
        visible = Failure(causedBy: error)
        cause = visible.code == .serverError ? error : nil
    }
}
