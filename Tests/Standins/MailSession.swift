import EventLoop

/// One connection of the mail stand-in: the server's side of SMTP (RFC 5321), as far as libcurl needs it.
///
/// - Note: Confined to the socket's loop.
final class MailSession: StreamHandler {
    private let socket: StreamSocket
    private let mails: MailStandin
    private var line: [UInt8] = []
    private var sender = ""
    private var recipients: [String] = []
    /// The lines of the mail after DATA; nil before.
    private var data: [String]?

    init(_ socket: StreamSocket, to mails: MailStandin) {
        self.socket = socket
        self.mails = mails
    }

    func greet() { answer("\(mails.replyToConnection()) standins") }

    func received(_ bytes: RawSpan) -> Int {
        for index in 0..<bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            if byte != UInt8(ascii: "\n") {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            take(String(decoding: line, as: UTF8.self))
            line = []
        }
        return bytes.byteCount
    }

    private func take(_ line: String) {
        if data != nil { return takeData(line) }
        let verb = line.prefix { $0 != " " && $0 != ":" }.uppercased()
        switch verb {
        case "EHLO": answer("250-standins\r\n250-8BITMIME\r\n250 SMTPUTF8")
        case "HELO", "NOOP": answer("250 ok")
        case "RSET":
            recipients = []
            answer("250 ok")
        case "MAIL":
            sender = Self.address(in: line)
            recipients = []
            answer("\(mails.replyToSender()) standins")
        case "RCPT":
            let recipient = Self.address(in: line)
            let code = mails.reply(to: recipient)
            if code < 300 { recipients.append(recipient) }
            answer("\(code) \(code < 300 ? "ok" : "refused")")
        case "DATA" where recipients.isEmpty: answer("503 no recipient")
        case "DATA":
            data = []
            answer("354 go on")
        case "QUIT":
            answer("221 bye")
            socket.closeAfterFlush()
        default: answer("502 unknown")
        }
    }

    private func takeData(_ line: String) {
        guard line == "." else {
            data?.append(line.hasPrefix(".") ? String(line.dropFirst()) : line)
            return
        }
        mails.take(MailStandin.Mail(sender: sender, recipients: recipients, data: data ?? []))
        data = nil
        answer("250 taken")
    }

    private func answer(_ line: String) { socket.write(Array((line + "\r\n").utf8)) }

    private static func address(in line: String) -> String {
        String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
    }

    func endOfInput() { socket.close() }
    func drained() {}
    func closed(_ end: StreamSocket.End) {}
}
