public import Wire

/// A step of an act of an operator, as the audit log of operators keeps it. An act has two entries: one before it begins,
/// and one with its outcome. It names no address of a mail and no text of a user, because the log cannot be changed when
/// they are deleted.
public struct OperatorAct: Sendable, Equatable {
    /// The id that the service gave the operator's call; both entries have it.
    public let call: String
    public let at: Timestamp
    /// The operator: the name of the credential in `operators_file`, or the name that an operator with the shared credential gives.
    public let operatorName: String
    /// The address that the call came from.
    public let address: String
    /// The service that performs the act.
    public let service: String
    /// The name of the act, such as `users.disable`.
    public let act: String
    /// The target, such as `users/5`; empty for nothing in particular.
    public let subject: String
    /// How it ended; nil before it begins.
    public let outcome: String?

    public init(
        call: String, at: Timestamp, operatorName: String, address: String, service: String, act: String,
        subject: String, outcome: String? = nil
    ) {
        self.call = call
        self.at = at
        self.operatorName = operatorName
        self.address = address
        self.service = service
        self.act = act
        self.subject = subject
        self.outcome = outcome
    }

    /// The entry with the outcome of this act: `done`, or the code of the failure.
    public func ended(_ outcome: String, at moment: Timestamp) -> OperatorAct {
        OperatorAct(
            call: call, at: moment, operatorName: operatorName, address: address, service: service, act: act,
            subject: subject, outcome: outcome)
    }

    /// The name of the entry: a repeated call with it changes nothing.
    public var key: String { "\(service)-\(call)-\(outcome == nil ? "begun" : "ended")" }
}

/// Writes a step of an act into the audit log of operators, once for each key.
public struct OperatorActRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/operators/acts")

    public let act: OperatorAct

    public init(_ act: OperatorAct) { self.act = act }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            OperatorAct(
                call: try request.memberText("call"),
                at: Timestamp(milliseconds: Int64(try request.memberInteger("at"))),
                operatorName: try request.memberText("operator"), address: try request.memberText("address"),
                service: try request.memberText("service"), act: try request.memberText("act"),
                subject: try request.memberText("subject"),
                outcome: request.member("outcome") == nil ? nil : try request.memberText("outcome")))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("call", act.call)
            json.field("at", act.at.milliseconds)
            json.field("operator", act.operatorName)
            json.field("address", act.address)
            json.field("service", act.service)
            json.field("act", act.act)
            json.field("subject", act.subject)
            if let outcome = act.outcome { json.field("outcome", outcome) }
        }
    }
}
