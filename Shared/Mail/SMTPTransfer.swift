internal import CCurl
internal import Wire

/// One mail on its way, used by one thread.
final class SMTPTransfer {
    private let message: MailMessage
    private let server: SMTPServer
    private let isCancelled: () -> Bool
    private let bytes: [UInt8]
    private var given = 0

    init(_ message: MailMessage, to server: SMTPServer, isCancelled: @escaping () -> Bool) {
        self.message = message
        self.server = server
        self.isCancelled = isCancelled
        bytes = message.encoded()
    }

    /// Sends the mail and waits for the server's last reply.
    func run() -> Result<Void, MailFailure> {
        let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.pointee = 0
        defer { detail.deallocate() }
        guard let handle = curl_easy_init() else { return .failure(.unavailable(code: 0, reason: "no memory")) }
        defer { curl_easy_cleanup(handle) }
        var recipients: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(recipients) }
        recipients = curl_slist_append(nil, "<\(message.recipient)>")
        _ = ccurl_set_error_buffer(handle, detail)
        var code = prepare(handle, recipients)
        if code == CURLE_OK { code = withExtendedLifetime(self) { curl_easy_perform(handle) } }
        guard code != CURLE_OK else { return .success(()) }
        let reply = ccurl_number(handle, CURLINFO_RESPONSE_CODE)
        return .failure(failure(code, String(cString: detail), reply: reply))
    }

    /// A server refuses a recipient or a text with a code from 500 on. It also uses these codes to refuse a connection or
    /// the sender's address, and for a sender that has to sign in first, or cannot: then the settings are wrong and not
    /// the mail.
    private func failure(_ code: CURLcode, _ detail: String, reply: Int) -> MailFailure {
        let isAboutMail =
            switch code {
            case CURLE_SEND_ERROR, CURLE_RECV_ERROR: !detail.hasPrefix("MAIL failed")
            // The reply to the text; before it, that to the connection.
            case CURLE_WEIRD_SERVER_REPLY: given > 0
            default: false
            }
        if isAboutMail, (500...599).contains(reply), ![503, 530, 534, 535, 538].contains(reply) {
            return .refused(code: reply)
        }
        return .unavailable(code: reply, reason: String(cString: curl_easy_strerror(code)))
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ recipients: UnsafeMutablePointer<curl_slist>?
    ) -> CURLcode {
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, server.url), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            (CURLOPT_MAIL_FROM, "<\(message.sender)>"),
            // An empty text keeps curl from reading the environment.
            (CURLOPT_PROXY, ""),
            (CURLOPT_CAINFO, server.authorities),
            (CURLOPT_USERNAME, server.user.isEmpty ? nil : server.user),
            (CURLOPT_PASSWORD, server.user.isEmpty ? nil : server.password),
        ]
        let milliseconds = Int(clamping: server.deadline.wholeMilliseconds)
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds / 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_USE_SSL, server.requiresTLS ? 3 : 0),  // CURLUSESSL_ALL, CURLUSESSL_NONE
        ]
        for (option, text) in texts where text != nil {
            let code = ccurl_set_text(handle, option, text)
            if code != CURLE_OK { return code }
        }
        if server.authorities != nil {
            // Otherwise curl trusts the system's folder of authorities too.
            let code = ccurl_set_text(handle, CURLOPT_CAPATH, nil)
            if code != CURLE_OK { return code }
        }
        for (option, number) in numbers {
            let code = ccurl_set_number(handle, option, number)
            if code != CURLE_OK { return code }
        }
        let own = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_progress(
            handle, { own, _, _, _, _ in SMTPTransfer.of(own).isCancelled() ? 1 : 0 }, own)
        _ = ccurl_set_recipients(handle, recipients)
        return ccurl_set_upload(
            handle, { buffer, size, count, own in SMTPTransfer.of(own).give(buffer, size * count) }, own,
            Int64(bytes.count))
    }

    private func give(_ buffer: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        let count = min(room, bytes.count - given)
        guard let buffer, count > 0 else { return 0 }
        bytes.withUnsafeBytes { all in
            UnsafeMutableRawPointer(buffer).copyMemory(from: all.baseAddress! + given, byteCount: count)
        }
        given += count
        return count
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> SMTPTransfer {
        guard let pointer else { preconditionFailure("a callback without its transfer") }
        return Unmanaged<SMTPTransfer>.fromOpaque(pointer).takeUnretainedValue()
    }
}
