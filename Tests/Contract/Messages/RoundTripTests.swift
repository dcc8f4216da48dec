import Contract
import HTTP
import Testing
import Wire

@Suite("Messages between services")
struct RoundTripTests {
    private static let unknownMember = #""unknown_member":{"a":[1,null]}"#

    @Test("A value, a reply and a hint read back as they were written, and ignore unknown members")
    func values() throws {
        for value in Samples.values { try check(value) }
        for hint in Samples.hints { try check(hint) }
        for event in Samples.events { try check(event) }
    }

    @Test("A fact reads back from its type and body, and ignores unknown members")
    func facts() throws {
        for fact in Samples.facts { try check(fact) }
    }

    @Test("An internal call reads back from its path, query and body, and ignores unknown members")
    func requests() throws {
        for request in Samples.requests { try check(request) }
    }

    @Test("Every message type in Shared/Contract has a sample")
    func complete() throws {
        let sampled =
            (Samples.values.map { $0 as Any } + Samples.hints.map { $0 as Any } + Samples.events.map { $0 as Any })
            .map { "\(type(of: $0))" }
        #expect(try ContractSources.types(of: ["WireMessage", "Hint"]) == Set(sampled))
        #expect(
            try ContractSources.types(of: ["InternalRequest", "UsersRequest", "AccessQuestion"])
                == Set(Samples.requests.map { "\(type(of: $0))" }))
        #expect(try ContractSources.types(of: ["Fact"]) == Set(Samples.facts.map { "\(type(of: $0))" }))
        #expect(Set(Samples.account.map(\.name)) == Set(AccountFact.Name.allCases))
        #expect(Set(Samples.workspace.map(\.name)) == Set(WorkspaceFact.Name.allCases))
        #expect(Set(Samples.payment.map(\.name)) == Set(PaymentFact.Name.allCases))
    }

    @Test("Every internal call is served by a service, and no service adds an untyped call between services")
    func served() throws {
        let services = try ContractSources.files(in: "Services").joined()
        for request in Samples.requests {
            #expect(services.contains("routes.add(\(type(of: request)).self,"), "\(type(of: request))")
        }
        // Operators call reconciliation and ask about pushes, and gateways forward requests of clients to each other.
        let untyped = services.matches(of: /"(\/internal\/[^"]*)"/).map { String($0.output.1) }
        #expect(
            Set(untyped) == [
                "/internal/differences", "/internal/pushes/{room}/{seq}", "/internal/reconciliation",
                "/internal/reports", "/internal/reports/{report_id}", "/internal/reports/{report_id}/files/{name}",
                "/internal/socket.io",
            ])
    }

    @Test("No two facts of a stream, no two hints and no two calls share a name")
    func unique() {
        let routes = Samples.requests.map { type(of: $0).route }.map { "\($0.method.rawValue) \($0.template)" }
        #expect(Set(routes).count == Set(Samples.requests.map { "\(type(of: $0))" }).count)
        let channels = Samples.hints.map { type(of: $0).redisChannel }
        #expect(Set(channels).count == Set(Samples.hints.map { "\(type(of: $0))" }).count)
    }

    private func check<Message: WireMessage>(_ message: Message) throws {
        let encoded = message.encoded()
        #expect(Message(try JSONValue(parsing: encoded)) == message)
        let longer = JSONText.adding(Self.unknownMember, to: encoded)
        // A key set is passed on as it is.
        if !(message is KeysReply) { #expect(Message(try JSONValue(parsing: longer)) == message) }
    }

    private func check<F: Fact>(_ fact: F) throws {
        let name = try #require(F.Name(rawValue: fact.name.rawValue))
        let body = fact.encodedBody()
        #expect(F(name, try JSONValue(parsing: body)) == fact)
        #expect(F(name, try JSONValue(parsing: JSONText.adding(Self.unknownMember, to: body))) == fact)
        #expect(F(name, try JSONValue(parsing: "{}")) == nil)
    }

    private func check<Request: InternalRequest>(_ request: Request) throws {
        #expect(try request.readBack() == request)
        #expect(try request.readBack(adding: Self.unknownMember) == request)
    }
}
