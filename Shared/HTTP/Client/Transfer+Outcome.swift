internal import CCurl

extension Transfer {
    /// Makes the outcome of a transfer that curl ended with `code`.
    func outcome(of code: CURLcode) -> Outcome {
        guard let handle else { preconditionFailure("a transfer ended that did not begin") }
        let status = ccurl_number(handle.raw, CURLINFO_RESPONSE_CODE)
        guard code == CURLE_OK, (200...599).contains(status) else {
            return .failure(failure(code, handle.detail))
        }
        let isHTTP2 = Self.isHTTP2(handle)
        return .success(
            .init(status: Status(UInt16(status)), headers: reply.headers, body: reply.body, isHTTP2: isHTTP2))
    }

    /// Whether the connection ended during the transfer.
    func isLost(_ code: CURLcode) -> Bool { code != CURLE_OK && kind(of: code) == .connectionLost }

    private func failure(_ code: CURLcode, _ detail: String) -> HTTPClient.Failure {
        let detail = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        return .init(kind: kind(of: code), detail: detail, mayHaveBeenProcessed: wasSent)
    }

    private func kind(of code: CURLcode) -> HTTPClient.Failure.Kind {
        if reply.isTooLarge { return .replyTooLarge }
        if wasForbidden, code == CURLE_COULDNT_CONNECT { return .forbidden }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT:
            return .unreachable
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR:
            return .untrusted
        case CURLE_FILESIZE_EXCEEDED: return .replyTooLarge
        case CURLE_TOO_MANY_REDIRECTS: return .redirected
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK:
            return .connectionLost
        default:
            // curl uses the same codes for malformed URLs, redirects and replies.
            if redirects > 0 { return .redirected }
            return wasSent ? .malformedReply : .invalidRequest
        }
    }
}
