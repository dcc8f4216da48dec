import Contract
import Crypto
import Glibc
import ServiceSupport
import TestSupport
import Wire

extension GatewayHarness {
    /// The settings of a node that sends pushes to the stub.
    func pushSettings(_ folder: TemporaryFolder, _ own: [String: String] = [:]) throws -> [String: String] {
        let account = JSONWriter.bytes { json in
            json.object { json in
                json.field("project_id", "maru")
                json.field("client_email", "push@maru.example")
                json.field("private_key", SigningKey.generate().pem)
            }
        }
        let path = folder.path + "/account.json"
        try String(decoding: account, as: UTF8.self).write(toFile: path)
        return [
            "fcm_url": peers.url, "fcm_token_url": peers.url + "/token", "fcm_service_account": path,
            // A push is sent twice if its lease or the call ends while the machine stands still.
            "push_lease": "120s",
            "provider_deadline": Duration.seconds(30).patiently.setting,
        ].merging(own) { $1 }
    }

    /// Makes 60 and 1 the members of channel 8, and gives 1 devices `d1` and so on.
    func give(devices count: Int = 1) {
        peers.change { state in
            state.channels[8] = [1, 60]
            state.devices = [1: (1...count).map { "d\($0)" }]
        }
    }

    /// Puts messages on the stream of pushes, all in an entry, as chat-service does.
    func tell(_ messages: [RoomMessage]) async throws {
        let fields = messages.flatMap { message in
            let body = String(decoding: RoomEvent.message(message.withoutContent).encoded(), as: UTF8.self)
            return ["id", "\(message.room):\(message.body.seq)", "body", body]
        }
        try await redis.command(["XADD", "push", "*"] + fields)
    }

    func tell(_ message: RoomMessage) async throws { try await tell([message]) }

    /// Puts a message on the stream of pushes, without an event in its room.
    @discardableResult
    func push(_ text: String, in room: RoomID) async throws -> RoomMessage {
        let message = peers.change { $0.write(text, in: room, by: 60, session: 1060) }
        try await tell(message)
        return message
    }

    /// Waits until the table holds no push that is not done.
    func settled(count: Int) async throws {
        try await eventually(within: .seconds(60), "the end of \(count) pushes") {
            try await self.ask("select count(*), count(done_at) from realtime.push") == "\(count)|\(count)"
        }
    }

    /// The provider refuses all pushes for now, and wants each of them an hour later.
    static let hourLater = Array(
        repeating: (status: UInt16(503), code: "UNAVAILABLE", retryAfter: String?("3600")), count: 100)

    /// Waits until so many pushes have been refused for an hour. None of them is sent again before `endWaits`.
    func refusedForNow(count: Int) async throws {
        try await eventually("a refusal of each") {
            try await self.ask(
                """
                select count(*) from realtime.push
                where attempts > 0 and due_at > (extract(epoch from now()) * 1000)::bigint + 1800000
                """) == "\(count)"
        }
    }

    /// Ends the waits of all pushes.
    func endWaits() async throws { _ = try await ask("update realtime.push set due_at = 0 where done_at is null") }

    /// Waits until every job on the stream has been taken to its end.
    func taken() async throws {
        try await eventually("all jobs' ends") {
            let group = try await self.redis.command("XINFO", "GROUPS", "push")
            func count(_ name: String) -> String? { group.firstIndex(of: name).map { group[$0 + 1] } }
            return count("lag") == "0" && count("pending") == "0"
        }
    }
}

extension String {
    fileprivate func write(toFile path: String) throws {
        guard let file = fopen(path, "we") else { throw NeverHappened(description: "cannot write \(path)") }
        defer { fclose(file) }
        fputs(self, file)
    }
}
