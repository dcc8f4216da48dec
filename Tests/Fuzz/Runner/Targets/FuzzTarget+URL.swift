import Wire

extension FuzzTarget {
    /// Decoded text is the same after it was encoded and decoded again; the same holds for queries, Base64 and
    /// hexadecimal digits.
    static let url = FuzzTarget { bytes in
        if let text = PercentEncoding.decode(bytes[...]) {
            for encoding in [PercentEncoding.strict, .queryComponent] {
                require(PercentEncoding.decode(encoding.encode(text)) == text, "a text is not decoded back")
            }
        }
        if let query = QueryParameters(bytes[...]) {
            let again = QueryParameters(query.encoded(as: .form))
            require(again?.all.elementsEqual(query.all, by: ==) == true, "a query is not read back unchanged")
        }
        for form in [Base64.Form.standard, .standardUnpadded, .url] {
            guard let decoded = Base64.decode(bytes.span, form) else { continue }
            require(Base64.encodedBytes(decoded.span, form) == bytes, "Base64 has two texts for the same bytes")
        }
        if let decoded = Hexadecimal.decode(bytes.span) { require(decoded.count * 2 == bytes.count, "digits are lost") }
        let cookies = CookieField(bytes[...])
        for name in ["a", "", "maru"] {
            guard let value = cookies[name], let cookie = SetCookie(name, value) else { continue }
            let pair = String(cookie.text.prefix { $0 != ";" })
            require(CookieField(pair)[name] == value, "a cookie was not read back")
        }
    }
}
