extension Refusal {
    /// The refusal for an error that a handler threw.
    init(of error: any Error) {
        if let refusal = error as? Refusal {
            self = refusal
            return
        }
        self =
            switch error as? BodyError {
            case .tooLarge: .bodyTooLarge
            case .timeout: .timeout
            case .malformed: .malformed
            case .disconnected, .alreadyRead, nil: .handlerFailed(error)
            }
    }

    /// The error that the reader of the body gets.
    var bodyError: BodyError {
        switch self {
        case .bodyTooLarge: .tooLarge
        case .timeout: .timeout
        case .malformed, .headersTooLarge, .targetTooLong, .unsupportedVersion, .unsupportedCoding, .expectationFailed:
            .malformed
        case .overloaded, .handlerFailed: .disconnected
        }
    }
}
