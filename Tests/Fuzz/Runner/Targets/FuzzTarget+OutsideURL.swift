import HTTP

extension FuzzTarget {
    /// A URL of a stranger has a host and a port that can be written into a URL again, and a network contains its own address.
    static let outsideURL = FuzzTarget { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let url = OutsideURL(text) {
            require(url.text == text, "the text has changed")
            let host = url.host.contains(":") ? "[\(url.host)]" : url.host
            let again = OutsideURL("http://\(host):\(url.port)/")
            require(again?.host == url.host && again?.port == url.port, "the host or the port is not read back")
        }
        if let address = IPAddress(text) {
            require(IPNetwork(text)?.contains(address) == true, "an address is outside of its own network")
            _ = PeerRule.isPublic(address)
        }
        _ = IPNetwork(text)
    }
}
