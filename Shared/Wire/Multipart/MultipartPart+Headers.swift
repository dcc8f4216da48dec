extension MultipartPart {
    /// Parses the headers of a part, without the empty line after them; nil if a line is not a header, or if the
    /// headers do not name a form field.
    init?(headers: Span<UInt8>) {
        var disposition: HeaderParameters?
        var contentType: HeaderParameters?
        var start = 0
        while start < headers.count {
            let end = headers.firstOffset(of: UInt8(ascii: "\r"), from: start) ?? headers.count
            guard end == headers.count || end + 1 < headers.count && headers[end + 1] == UInt8(ascii: "\n"),
                let colon = headers.firstOffset(of: UInt8(ascii: ":"), from: start), colon > start, colon < end
            else { return nil }
            let value = headers.extracting(colon + 1..<end)
            switch headers.extracting(start..<colon).lowercasedASCII {
            case "content-disposition":
                guard disposition == nil, let parameters = HeaderParameters(value) else { return nil }
                disposition = parameters
            case "content-type":
                contentType = HeaderParameters(value)
            default:
                break
            }
            start = end + 2
        }
        guard let disposition, disposition.value == "form-data", let name = disposition["name"] else { return nil }
        self.name = name
        fileName = disposition["filename*"].flatMap(Self.extended) ?? disposition["filename"]
        self.contentType = contentType?.value
    }

    /// Parses RFC 8187's `UTF-8''percent-encoded`, which some clients send although RFC 7578 forbids it.
    private static func extended(_ value: String) -> String? {
        let pieces = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, pieces[0].lowercased() == "utf-8" else { return nil }
        return PercentEncoding.decode(String(pieces[2]))
    }
}

extension Span<UInt8> {
    fileprivate var lowercasedASCII: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
    }
}
