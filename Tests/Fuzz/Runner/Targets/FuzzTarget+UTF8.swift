import Wire

extension FuzzTarget {
    /// UTF-8 is what the standard library takes for it.
    static let utf8 = FuzzTarget { bytes in
        require(bytes.span.isUTF8 == (String(validating: bytes, as: UTF8.self) != nil), "judged otherwise")
        let text = String(decoding: bytes, as: UTF8.self)
        let key = text.caselessKey
        require(key.caselessKey == key, "a key is not its own key")
        require(text.nfc.caselessKey == key, "a key depends on normalization")
        _ = text.hasLength(in: 1...30)
    }
}
