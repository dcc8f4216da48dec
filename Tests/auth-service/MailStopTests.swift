import EventLoop
import Mail
import ServiceKit
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Mails of an instance that stops")
struct MailStopTests {
    /// Takes mails, and answers when the test lets it.
    private final class SlowTransport: MailTransport {
        let waiting = Mutex(0)
        let isReleased = Mutex(false)

        func send(_: MailMessage) async throws(MailFailure) {
            waiting.withLock { $0 += 1 }
            while !isReleased.withLock(\.self) { try? await pause(for: .milliseconds(5)) }
        }

        func close() {}
    }

    @Test("An instance that stops settles the mails on their way, and takes no others")
    func stopping() async throws {
        let loops = EventLoopGroup(count: 1)
        // Its service sends no mails.
        try await AuthFixture.run(["smtp_url": ""]) { fixture async throws in
            _ = try await fixture.join()
            let database = fixture.service.database
            _ = try await database.run(
                sql: """
                    insert into auth.mail (account, recipient, template, detail, created_at, due_at, expires_at)
                    select id, email, 'new_device', '', 1, 1, 9000000000000 from auth.account, generate_series(1, 8)
                    """)
            let transport = SlowTransport()
            let file = LogFile()
            try await Pools.use(database, schema: "auth") { pool in
                guard let loop = EventLoop.current else { throw NeverHappened(description: "a loop") }
                let delivery = MailDelivery(
                    store: MailStore(database: pool), transport: transport,
                    codes: CodeGenerator(credential: ServiceUnderTest.credential),
                    invitations: InvitationTokens(credential: ServiceUnderTest.credential),
                    sender: MailDelivery.Sender(name: "Maru", address: "maru@example.com", language: .korean),
                    lease: .seconds(60), metrics: MailMetrics(MetricsRegistry(for: loops)),
                    signal: WakeSignal(), log: file.log(.info), stopTimeout: .seconds(60).patiently)
                let work = Task { try await delivery.run(on: loop) }
                try await eventually("mails on their way") { transport.waiting.withLock(\.self) == 4 }
                async let stopped: Void = delivery.stop(on: loop)
                transport.isReleased.withLock { $0 = true }
                try await stopped
                let left = try await database.run(sql: "select count(*), max(attempts) from auth.mail")
                #expect(left == "4|0\n")
                work.cancel()
                _ = await work.result
            }
            #expect(try await file.text().isEmpty)
        }
        await onOwnThread { loops.stop() }
    }
}
