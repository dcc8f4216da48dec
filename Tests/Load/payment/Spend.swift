import LoadClient
import ServiceSupport

/// A reserve and its release, as workspace-service makes them when it cannot create a workspace. A capture writes as
/// much, but it comes as a fact and has no reply to measure.
enum Spend {
    /// - Parameter user: the user of the spend with a number.
    static func journey(_ user: @escaping (Int) -> Int) -> LoadRun.Journey {
        let run = UInt32.random(in: 0 ... .max)
        return { connection, number, end in
            let (key, user) = ("load-\(run)-\(number)", user(number))
            let body = #"{"key":"\#(key)","user_id":"\#(user)","amount":1,"reason":"load"}"#
            connection.send(request("/internal/reserves", body: body)) { reply in
                guard reply.status == 200 else { return end("reserve \(reply.status)") }
                connection.send(request("/internal/reserves/\(key)/release", body: "")) { reply in
                    end(reply.status == 200 ? nil : "release \(reply.status)")
                }
            }
        }
    }

    private static func request(_ path: String, body: String) -> [UInt8] {
        LoadConnection.request(
            "POST", path, headers: [("Authorization", "Bearer " + ServiceUnderTest.credential)], body: body)
    }
}
