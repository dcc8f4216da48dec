import EventLoop
import HTTP
import Synchronization
import Wire

/// A mail server: takes every mail over SMTP, lists them (`GET /mail/sent`) and refuses recipients on request.
///
/// `POST /mail/script {recipient?, code, times}` makes the next recipients get the reply `code`, such as 550.
final class MailStandin: Sendable {
    /// A mail as its reader sees it.
    struct Mail: Sendable {
        let sender: String
        let recipients: [String]
        let subject: String
        /// With `\n` between its lines.
        let text: String
        /// The Message-ID, equal for a mail that is sent twice.
        let id: String
    }

    private struct Script {
        let recipient: String?
        let code: Int
        var times: Int
    }

    private struct State {
        var sent: [Mail] = []
        var scripts: [Script] = []
        /// Recipients that were named, refused ones included.
        var asked = 0
        /// The reply codes for the next connections and senders.
        var greetings: [Int] = []
        var senderReplies: [Int] = []
    }

    private let state = Mutex(State())
    private static let remembered = 100_000

    func register(in routes: inout StandinRoutes) {
        routes.control(.get, "/mail/sent", list)
        routes.control(.delete, "/mail/sent") { [self] _ in
            state.withLock { $0 = State() }
            return .standin { _ in }
        }
        routes.control(.post, "/mail/script", script)
    }

    /// Listens for SMTP. The listener must be kept, and stopped on its loop.
    func listen(on loop: EventLoop, at address: SocketAddress) throws -> Listener {
        let listener = try Listener(on: loop, address: address) { [self] descriptor, peer in
            let socket = StreamSocket(descriptor: descriptor, peer: peer, on: loop)
            let session = MailSession(socket, to: self)
            socket.start(session)
            session.greet()
        }
        loop.execute { listener.start() }
        return listener
    }

    /// The mails, oldest first.
    var sent: [Mail] { state.withLock(\.sent) }

    /// The number of recipients that were named, refused ones included.
    var asked: Int { state.withLock(\.asked) }

    /// Refuses the next recipients with a reply code.
    func refuse(_ recipient: String? = nil, with code: Int, times: Int = 1) {
        state.withLock { $0.scripts.append(Script(recipient: recipient, code: code, times: times)) }
    }

    /// Refuses the next connection with a reply code.
    func refuseConnection(with code: Int) { state.withLock { $0.greetings.append(code) } }

    /// Refuses the next sender with a reply code.
    func refuseSender(with code: Int) { state.withLock { $0.senderReplies.append(code) } }

    /// The reply code for a connection.
    func replyToConnection() -> Int { state.withLock { $0.greetings.isEmpty ? 220 : $0.greetings.removeFirst() } }

    /// The reply code for a sender.
    func replyToSender() -> Int { state.withLock { $0.senderReplies.isEmpty ? 250 : $0.senderReplies.removeFirst() } }

    /// The reply code for a recipient.
    func reply(to recipient: String) -> Int {
        state.withLock { state in
            state.asked += 1
            state.scripts.removeAll { $0.times <= 0 }
            let index = state.scripts.firstIndex { $0.recipient == nil || $0.recipient == recipient }
            guard let index else { return 250 }
            state.scripts[index].times -= 1
            return state.scripts[index].code
        }
    }

    func take(_ mail: Mail) {
        state.withLock { state in
            state.sent.append(mail)
            if state.sent.count > Self.remembered { state.sent.removeFirst(Self.remembered / 10) }
        }
    }

    private func list(_ call: StandinCall) -> Response {
        let sent = sent
        return .json(
            JSONWriter.bytes { json in
                json.array { json in
                    for mail in sent {
                        json.object { json in
                            json.field("from", mail.sender)
                            json.field("to", mail.recipients)
                            json.field("subject", mail.subject)
                            json.field("text", mail.text)
                            json.field("id", mail.id)
                        }
                    }
                }
            })
    }

    private func script(_ call: StandinCall) async throws -> Response {
        let json = try await call.json()
        guard let code = json["code"]?.int, (200...599).contains(code), let times = json["times"]?.int else {
            throw StandinRefusal.malformed
        }
        refuse(json["recipient"]?.string, with: code, times: times)
        return .standin { _ in }
    }
}

extension MailStandin.Mail {
    /// Reads the fields and the base64 text that our services write.
    init(sender: String, recipients: [String], data: [String]) {
        self.sender = sender
        self.recipients = recipients
        let end = data.firstIndex(of: "") ?? data.endIndex
        var fields: [String] = []
        for line in data[..<end] {
            if line.hasPrefix(" "), let last = fields.popLast() {
                fields.append(last + line.dropFirst())
            } else {
                fields.append(line)
            }
        }
        func field(_ name: String) -> String {
            fields.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
        subject = Self.decoded(field("Subject"))
        id = field("Message-ID")
        let body = data[end...].joined()
        let decoded = Base64.decode(body.utf8.span, .standard).map { String(decoding: $0, as: UTF8.self) }
        text = (decoded ?? body).replacing("\r\n", with: "\n")
    }

    /// Decodes the encoded words of RFC 2047.
    private static func decoded(_ text: String) -> String {
        text.split(separator: "=?utf-8?B?").map { part in
            let word = part.prefix { $0 != "?" }
            return Base64.decode(word.utf8.span, .standard).map { String(decoding: $0, as: UTF8.self) } ?? String(part)
        }.joined()
    }
}
