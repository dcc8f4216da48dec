import Wire

/// Why a call of a service failed.
enum CallFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The service refused, with a code and a sentence.
    case refused(ServiceName, status: Int, code: String, detail: String)
    /// The service did not answer.
    case unavailable(ServiceName)

    /// Reads the refusal in a reply.
    init(_ service: ServiceName, status: Int, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self = .refused(
            service, status: status, code: json?.string("errorCode") ?? "",
            detail: json?.string("detail") ?? "status \(status)")
    }

    var description: String {
        switch self {
        case .refused(let service, _, let code, let detail):
            "\(service.rawValue): \(detail)\(code.isEmpty ? "" : " (\(code))")"
        case .unavailable(let service): "\(service.rawValue) does not answer"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .unavailable: .unavailable
        case .refused(_, 401, _, _): .unauthorized
        case .refused(_, 404, _, _): .notFound
        case .refused(_, 502...504, _, _): .unavailable
        case .refused: .failed
        }
    }
}
