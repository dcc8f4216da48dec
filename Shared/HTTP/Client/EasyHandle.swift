internal import CCurl

/// A reusable curl handle for one transfer at a time.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let complaint = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?

    init() {
        guard let raw = curl_easy_init() else { preconditionFailure("no memory") }
        self.raw = raw
        complaint.pointee = 0
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headers)
        complaint.deallocate()
    }

    /// curl's message about the last failure.
    var detail: String { String(cString: complaint) }

    /// Resets the request; connections and resolved names belong to the client and stay.
    func reset() {
        curl_easy_reset(raw)
        curl_slist_free_all(headers)
        headers = nil
        complaint.pointee = 0
    }

    func set(_ option: CURLoption, _ value: Int) throws(RefusedOption) {
        try check(ccurl_set_number(raw, option, value))
    }

    func set(_ option: CURLoption, _ value: String?) throws(RefusedOption) {
        // curl would stop at a NUL, although the checks have read the whole text.
        guard value?.utf8.contains(0) != true else { throw RefusedOption(detail: "NUL in a text") }
        try check(ccurl_set_text(raw, option, value))
    }

    func set(body: [UInt8]) throws(RefusedOption) { try check(ccurl_set_body(raw, body, body.count)) }

    func set(headerLines: [String]) throws(RefusedOption) {
        for line in headerLines {
            guard let extended = curl_slist_append(headers, line) else { throw RefusedOption(detail: "no memory") }
            headers = extended
        }
        try check(ccurl_set_headers(raw, headers))
    }

    func setCallbacks(for transfer: Transfer) throws(RefusedOption) {
        try check(ccurl_set_error_buffer(raw, complaint))
        ccurl_set_callbacks(
            raw, Unmanaged.passUnretained(transfer).toOpaque(),
            { transfer, _, _, _, _ in Transfer.of(transfer).mayBeSent ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT },
            { bytes, size, count, transfer in
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.of(transfer).reply.takeHead(line) ? line.count : 0
            },
            { bytes, size, count, transfer in
                let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.of(transfer).reply.takeBody(piece) ? piece.count : 0
            })
    }

    /// Asks the rule before each connection. Kept connections were asked for when they were opened.
    func setPeers(_ rule: PeerRule, of transfer: Transfer) {
        transfer.peers = rule
        ccurl_set_opening(raw, Unmanaged.passUnretained(transfer).toOpaque()) { transfer, _, address in
            guard let address, Transfer.of(transfer).mayConnect(to: address) else { return CURL_SOCKET_BAD }
            return ccurl_open_socket(address)
        }
    }

    private func check(_ code: CURLcode) throws(RefusedOption) {
        guard code == CURLE_OK else { throw RefusedOption(detail: String(cString: curl_easy_strerror(code))) }
    }
}

/// curl rejects an option: the request cannot be sent.
struct RefusedOption: Error {
    let detail: String
}

extension Transfer {
    /// The transfer of the handle's callbacks; its client retains it while the handle is in use.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
        guard let pointer else { preconditionFailure("a handle without its transfer") }
        return Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
    }
}
