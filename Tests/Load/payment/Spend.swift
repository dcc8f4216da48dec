import LoadClient
import ServiceSupport

/// A spend as workspace-service makes it: a reserve, then its capture.
enum Spend {
    /// - Parameter user: the user of the spend with a number.
    static func journey(_ user: @escaping (Int) -> Int) -> LoadRun.Journey {
        let run = UInt32.random(in: 0 ... .max)
        return { connection, number, end in
            let (key, user) = ("load-\(run)-\(number)", user(number))
            connection.send(post("/internal/reserves", #"{"key":"\#(key)","#, user)) { reply in
                guard reply.status == 200 else { return end("reserve \(reply.status)") }
                connection.send(post("/internal/reserves/\(key)/capture", "{", user)) { reply in
                    end(reply.status == 200 ? nil : "capture \(reply.status)")
                }
            }
        }
    }

    private static func post(_ path: String, _ start: String, _ user: Int) -> [UInt8] {
        LoadConnection.request(
            "POST", path, headers: [("Authorization", "Bearer " + ServiceUnderTest.credential)],
            body: start + #""user_id":"\#(user)","amount":1,"reason":"load"}"#)
    }
}
