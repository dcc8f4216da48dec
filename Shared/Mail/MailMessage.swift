public import Wire

/// A mail of plain text, and its form on the wire (RFC 5322 and MIME).
public struct MailMessage: Sendable, Equatable {
    /// The sender's name as readers see it, such as `Maru`.
    public let senderName: String
    /// The sender's address, such as `no-reply@example.com`.
    public let sender: String
    /// The address of the one recipient.
    public let recipient: String
    public let subject: String
    /// The text with `\n` between its lines.
    public let text: String
    /// The part of the Message-ID before the `@`. A mail that is sent again has the same one.
    public let id: String
    public let date: Timestamp

    public init(
        from senderName: String, _ sender: String, to recipient: String, subject: String, text: String, id: String,
        date: Timestamp
    ) {
        self.senderName = senderName
        self.sender = sender
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.id = id
        self.date = date
    }

    /// The bytes that a server takes after DATA, with CRLF at the end of each line.
    ///
    /// Line breaks in the sender, the recipient and the subject become spaces, so that they cannot add fields.
    public func encoded() -> [UInt8] {
        let domain = Self.oneLine(sender).split(separator: "@").last.map(String.init) ?? "localhost"
        let lines =
            [
                "Date: \(Self.dateText(date))",
                "From: \(Self.encodedWords(senderName)) <\(Self.oneLine(sender))>",
                "To: <\(Self.oneLine(recipient))>",
                "Subject: \(Self.encodedWords(subject))",
                "Message-ID: <\(Self.oneLine(id))@\(domain)>",
                // Keeps mailboxes from answering.
                "Auto-Submitted: auto-generated",
                "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: base64",
                "",
            ] + Self.lines(ofBase64: Base64.encode(Array(Self.canonical(text).utf8).span, .standard), atMost: 76)
        return Array(lines.joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    private static func dateText(_ moment: Timestamp) -> String {
        var writer = ByteWriter()
        writer.append(httpDate: moment)
        return String(decoding: writer.bytes.dropLast("GMT".utf8.count), as: UTF8.self) + "+0000"
    }

    /// Encoded words of RFC 2047. Each holds whole characters and at most 39 bytes, which are 52 in base64.
    private static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var word = ""
        for character in oneLine(text) {
            if word.utf8.count + character.utf8.count > 39 {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        if !word.isEmpty { words.append(word) }
        return words.map { "=?utf-8?B?\(Base64.encode(Array($0.utf8).span, .standard))?=" }.joined(separator: "\r\n ")
    }

    /// The text with CRLF between its lines, which MIME requires under base64 too (RFC 2045 section 6.8).
    private static func canonical(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    }

    private static func lines(ofBase64 text: String, atMost length: Int) -> [String] {
        var rest = text[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return lines
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
