extension HeaderParameters {
    /// The boundary of a `Content-Type` of `multipart/form-data`; nil for another type, or if the boundary is not 1 to
    /// 70 printable characters. RFC 2046 allows fewer characters than clients send.
    public var multipartBoundary: String? {
        guard value == "multipart/form-data", let boundary = self["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.last != UInt8(ascii: " "), boundary.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return boundary
    }
}
