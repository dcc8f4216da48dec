internal import Wire

extension RouteDescription {
    /// All errors of the route: its own, and those of every route of its kind.
    private func allErrors(for form: ClientProfile.Form) -> [ErrorCode] {
        var all = errors
        if audience != .keyless { all.append(.unknownKey) }
        if !isOpen && audience != .keyless { all += [.invalidToken, .expiredToken] }
        // The token of a bot may lack the scope.
        if form == .native, !isOpen, audience != .keyless { all.append(.notAllowed) }
        // A workspace may require a second factor of its members.
        if template.hasPrefix("/v1/workspaces/{id}") { all += [.secondFactorMissing, .notAllowed] }
        all += [.unknownRoute, .tooManyCalls, .serverError]
        return ErrorCode.allCases.filter(all.contains)
    }

    /// Writes the replies of failures by their status.
    func writeFailures(to json: inout JSONWriter, for form: ClientProfile.Form) {
        let codes = allErrors(for: form)
        let statuses = Set(codes.map { $0.status(for: form) }).sorted()
        for status in statuses {
            json.key(escaping: "\(status)")
            let found = codes.filter { $0.status(for: form) == status }
            json.failure(
                found.map { errors.contains($0) ? "`\($0.rawValue)` \($0.cause)" : "`\($0.rawValue)`" },
                mayWait: found.contains(.tooManyCalls) || found.contains(.serverError), for: form)
        }
        if form == .native {
            json.key("default")
            json.failure(["A code can have a more exact status, such as 413."], mayWait: true, for: form)
        }
    }
}

extension ErrorCode {
    fileprivate func status(for form: ClientProfile.Form) -> Int { form == .native ? status : legacyStatus }
}

extension JSONWriter {
    fileprivate mutating func failure(_ texts: [String], mayWait: Bool, for form: ClientProfile.Form) {
        object { json in
            json.field("description", texts.joined(separator: "\n\n"))
            if mayWait {
                json.object("headers") { json in
                    json.object("Retry-After") { json in
                        json.field("description", "The seconds until the client may call again.")
                        json.object("schema") { $0.field("type", "integer") }
                    }
                }
            }
            json.object("content") { json in
                json.object(form == .native ? "application/problem+json" : "application/json") { json in
                    json.object("schema") { $0.field("$ref", "#/components/schemas/Failure") }
                }
            }
        }
    }

    /// Writes the schema of the body of all failures.
    mutating func failureSchema(for form: ClientProfile.Form) {
        let entity = Schema.Entity(
            "Failure", "A refused call.",
            [
                .has("type", .text).only(.native), .has("title", .text).only(.native),
                .has("status", .integer(), "The HTTP status.").only(.native),
                .may("requestId", .text, "The id of the call in the logs and traces of the server.").only(.native),
                .has("errorCode", .choice(ErrorCode.allCases.map(\.rawValue))),
                .may("detail", .text, "A sentence for the developer."),
                .may("ticket", .text, "With E07: the proof of the first step.").only(.native),
                .may("expiresAt", .time, "With E07: the end of the ticket.").only(.native),
                .may("workspaces", .list(.digits), "With E15 of a deletion: the workspaces to hand over first.")
                    .only(.native),
            ])
        entity.write(to: &self, for: form)
    }
}
