import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("With the stand-ins of the providers", .serialized)
struct StandinTests {
    /// The stand-ins as `deploy/up --standins` starts them.
    private struct Standins {
        let port = FreePort.pick()
        private let process: ChildProcess
        private let folder = TemporaryFolder("maru-standins")

        init() async throws {
            process = try ChildProcess.product("standins", ["--port", "\(port)"], log: folder.path + "/log")
            let (port, process) = (port, process)
            // It makes three keys of RSA before it listens, which takes long on a busy machine.
            try await eventually(within: .seconds(30), "the stand-ins") {
                guard process.isRunning else { throw NeverHappened(description: process.output) }
                return (try? RawConnection(port: port)) != nil
            }
        }

        var settings: [String: String] {
            let base = "http://127.0.0.1:\(port)/portone"
            return ["portone_v1_url": base + "/v1", "portone_v2_url": base + "/v2"]
        }

        func post(_ path: String, _ json: String) async throws {
            let reply = try await HTTPCall.post(port: port, path, json: json)
            #expect(reply.status == 200, "\(path) \(json)")
        }

        func stop() async { await process.stop() }
    }

    @Test("Payments of PortOne V1 and V2 are validated")
    func payments() async throws {
        let standins = try await Standins()
        try await PaymentFixture.use(standins.settings.merging(["provider_deadline": "30s"]) { $1 }) { fixture in
            try await standins.post(
                "/portone/payments",
                #"{"imp_uid":"imp_1","merchant_uid":"ios_sooda_1","amount":100,"name":"10 Coin"}"#)
            try await standins.post(
                "/portone/payments",
                #"{"paymentId":"pay-1","merchant_uid":"ios_sooda_2","amount":500,"name":"50 Coin"}"#)
            try await standins.post(
                "/portone/payments", #"{"paymentId":"ios_sooda_3","amount":1000,"name":"100 Coin"}"#)
            try await standins.post(
                "/portone/payments",
                #"{"imp_uid":"imp_4","merchant_uid":"ios_sooda_4","amount":100,"name":"10 Coin","status":"cancelled"}"#)
            let codes = [
                try await fixture.validate("imp_1", "ios_sooda_1").status,
                try await fixture.validate("pay-1", "ios_sooda_2").status,
                try await fixture.validate("ios_sooda_3", "ios_sooda_3").status,
            ]
            #expect(codes == [200, 200, 200])
            let refused = [
                try await fixture.validate("imp_4", "ios_sooda_4").errorCode,
                try await fixture.validate("imp_5", "ios_sooda_5").errorCode,
                try await fixture.validate("pay-6", "ios_sooda_6").errorCode,
            ]
            #expect(refused == ["E81", "E81", "E81"])
            let balance = try await fixture.balance(7)
            #expect(balance == 260)
        }
        await standins.stop()
    }

    @Test(
        "A payment through a test channel of PortOne V2 is credited only if the setting accepts tests",
        arguments: [("false", "E81"), ("true", "")])
    func testChannel(accepts: String, code: String) async throws {
        let standins = try await Standins()
        let settings = ["provider_deadline": "30s", "portone_v2_accepts_tests": accepts]
        try await PaymentFixture.use(standins.settings.merging(settings) { $1 }) { fixture in
            try await standins.post(
                "/portone/payments",
                #"{"paymentId":"ios_sooda_1","amount":100,"name":"10 Coin","channel":"TEST"}"#)
            let reply = try await fixture.validate("ios_sooda_1", "ios_sooda_1")
            #expect(reply.errorCode == code)
            let balance = try await fixture.balance(7)
            #expect(balance == (code.isEmpty ? 110 : 100))
        }
        await standins.stop()
    }

    @Test(
        "A provider that refuses, answers nonsense or is slow is E99, and the payment is credited when it recovers"
    )
    func behaviors() async throws {
        let standins = try await Standins()
        try await PaymentFixture.use(standins.settings.merging(["provider_deadline": "500ms"]) { $1 }) { fixture in
            let behaviors = [#""answer":"refuse""#, #""answer":"nonsense""#, #""delayMs":120000"#]
            for (number, behavior) in behaviors.enumerated() {
                try await standins.post(
                    "/portone/payments",
                    #"{"imp_uid":"imp_\#(number)","merchant_uid":"ios_sooda_\#(number)","amount":100,"name":"10 Coin"}"#
                )
                try await standins.post("/standins/mood", #"{"provider":"portone",\#(behavior)}"#)
                let reply = try await fixture.validate("imp_\(number)", "ios_sooda_\(number)")
                #expect(reply.errorCode == "E99")
                try await standins.post("/standins/mood", #"{"provider":"portone","answer":"well"}"#)
                let coins = 100 + (number + 1) * 10
                try await eventually("the credit") { try await fixture.balance(7) == coins }
            }
        }
        await standins.stop()
    }
}
