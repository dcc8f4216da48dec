internal import Contract
internal import HTTP

/// The operator of a call, by the credential that it shows.
enum OperatorCaller: Sendable {
    /// Shows the credential that operators share. They name themselves in `X-Operator`.
    case sharing(OperatorList)
    /// Shows a credential of their own, which determines the name.
    case own(OperatorList.Entry)

    /// Whether the operator may change anything.
    var mayAct: Bool { if case .own(let entry) = self { entry.role == .operator } else { true } }

    /// The name for the audit log.
    ///
    /// - Throws: if a sharing operator gives no name, or one that belongs to a credential of its own.
    func name(in request: Request) throws(Failure) -> String {
        switch self {
        case .own(let entry): return entry.name
        case .sharing(let list):
            let name = String(decoding: request.headers["X-Operator"] ?? [], as: UTF8.self)
            guard OperatorList.isName(name) else {
                throw .invalid(
                    "X-Operator must name the operator: 1 to \(OperatorList.longestName) letters, digits and .@_-")
            }
            guard list[name] == nil else {
                throw Failure(
                    .notAllowed, "\(name) has a credential of their own, and the shared one cannot use the name.")
            }
            return name
        }
    }
}
