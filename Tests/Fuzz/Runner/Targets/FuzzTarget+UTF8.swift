import Wire

extension FuzzTarget {
    /// UTF-8 is judged as the standard library judges it.
    static let utf8 = FuzzTarget { bytes in
        require(
            bytes.span.isUTF8 == (String(validating: bytes, as: UTF8.self) != nil), "the standard library disagrees")
        let text = String(decoding: bytes, as: UTF8.self)
        let key = text.caselessKey
        require(key.caselessKey == key, "the key of a key differs")
        require(text.nfc.caselessKey == key, "a key depends on normalization")
        _ = text.hasLength(in: 1...30)
    }
}
