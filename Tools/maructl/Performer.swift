import EventLoop
import HTTP
import Wire

/// Carries commands out: asks, calls the services, and makes the output.
struct Performer: Sendable {
    let client: OperatorClient
    let loop: EventLoop

    /// The output of a command, and its exit status.
    struct Outcome: Sendable {
        let status: ExitStatus
        let lines: [String]
    }

    /// A command that is not carried out.
    struct Refusal: Error {
        let status: ExitStatus
        let reason: String
    }

    func perform(_ invocation: Invocation) async throws -> Outcome {
        var invocation = invocation
        let command = invocation.command
        for argument in command.arguments where argument.kind == .user {
            invocation.values[argument.name] = try await userID(invocation.values[argument.name] ?? "")
        }
        if let harm = command.harm, !invocation.options.isConfirmed { try confirm(harm, invocation.values) }
        let isJSON = invocation.options.isJSON
        switch command.action {
        case .call(let template): return try await call(template, invocation)
        case .everywhere(let path, let list, let columns):
            let only = invocation.values["service"].flatMap(ServiceName.init)
            return try await everywhere(path, list, columns, only: only, isJSON: isJSON)
        case .capacity: return Self.capacity(invocation)
        case .doctor: return await Doctor(client: client, loop: loop).examine(isJSON: isJSON)
        case .migrationPlan: return try await MigrationPlanning(client: client).plan(isJSON: isJSON)
        case .script(let name): return try await Scripts(client: client).run(name, invocation.rest)
        case .operators(let change):
            return try await Operators(client: client).perform(change, invocation.values, isJSON: isJSON)
        case .export: return try await export(of: invocation.values["user"] ?? "", isJSON: isJSON)
        }
    }

    /// The machines for a demand; it needs no instance.
    static func capacity(_ invocation: Invocation) -> Outcome {
        let plan = CapacityPlan(for: CapacityDemand(invocation.values))
        return Outcome(
            status: .done, lines: invocation.options.isJSON ? [String(decoding: plan.json, as: UTF8.self)] : plan.lines)
    }

    private func confirm(_ harm: String, _ values: [String: String]) throws(Refusal) {
        var question = harm
        for (name, value) in values { question = question.replacing("{\(name)}", with: value) }
        guard Terminal.isInteractive else {
            throw Refusal(status: .unconfirmed, reason: "\(question) Pass --yes to do so.")
        }
        guard Terminal.ask("\(Table.printable(question)) Type yes to continue: ") == "yes" else {
            throw Refusal(status: .unconfirmed, reason: "nothing was changed")
        }
    }

    /// The id of a user that was given by id or by address.
    private func userID(_ text: String) async throws -> String {
        guard text.contains("@") else { return text }
        let found = try await client.get(.auth, "/operator/users?text=\(CallTemplate.encoded(text))")
        let user = found["users"]?.elements?.first { $0.string("email")?.lowercased() == text.lowercased() }
        guard let id = user?.string("user_id") else {
            throw Refusal(status: .notFound, reason: "no account has the address \(text)")
        }
        return id
    }

    private func call(_ template: CallTemplate, _ invocation: Invocation) async throws -> Outcome {
        let method = HTTP.Method(rawValue: template.method) ?? .get
        let reply = try await client.send(method, template.service, template.target(invocation.values))
        let hasFailed = template.failing.map { reply[named: $0]?.elements?.first { _ in true } != nil } ?? false
        return Outcome(
            status: hasFailed ? .failed : .done,
            lines: invocation.options.isJSON ? [Self.text(reply)] : Report.lines(reply, template.shape))
    }

    private static func text(_ json: JSONValue) -> String { String(decoding: json.text, as: UTF8.self) }

    /// Joins the lists of all services. A service that does not answer is a row with an error, and the exit status tells it.
    private func everywhere(
        _ path: String, _ list: String, _ columns: [String], only: ServiceName?, isJSON: Bool
    ) async throws -> Outcome {
        var (replies, rows): ([[UInt8]], [[String]]) = ([], [])
        var firstFailure: CallFailure?
        for service in ServiceName.allCases where only == nil || service == only {
            do {
                let reply = try await client.get(service, path)
                replies.append(reply.text)
                for element in reply[named: list]?.elements.map(Array.init) ?? [] {
                    rows.append(
                        columns.map { $0 == "service" ? service.rawValue : Report.text(of: element[named: $0]) })
                }
            } catch {
                firstFailure = firstFailure ?? error
                Terminal.complain("\(error)")
            }
        }
        let found = replies
        let json = JSONWriter.bytes { json in json.array { json in for reply in found { json.raw(reply) } } }
        return Outcome(
            status: firstFailure?.exitStatus ?? .done,
            lines: isJSON ? [String(decoding: json, as: UTF8.self)] : Table(columns: columns, rows: rows).lines)
    }

    /// Orders an export unless one is ready, and waits until it is.
    private func export(of user: String, isJSON: Bool) async throws -> Outcome {
        let path = "/operator/users/\(user)/export"
        var state = try await client.get(.auth, path)
        if state.string("state") != "ready" { state = try await client.send(.post, .auth, path) }
        while state.string("state") == "pending" {
            try await loop.sleep(for: .milliseconds(500))
            state = try await client.get(.auth, path)
        }
        let lines = isJSON ? [Self.text(state)] : Report.lines(state, .record)
        return Outcome(status: state.string("state") == "ready" ? .done : .failed, lines: lines)
    }
}
