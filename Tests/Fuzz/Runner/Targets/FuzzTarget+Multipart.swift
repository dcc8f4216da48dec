import Wire

extension FuzzTarget {
    /// A body is parsed the same however it is cut into pieces. The first byte selects the pieces.
    static let multipart = FuzzTarget { bytes in
        let header = "multipart/form-data; boundary=XX"
        guard let length = bytes.first.map(Int.init), let boundary = HeaderParameters(header)?.multipartBoundary else {
            return
        }
        let body = Array(bytes.dropFirst())
        _ = HeaderParameters(body.span)
        let whole = read(body, boundary: boundary, pieceLength: max(body.count, 1))
        require(whole == read(body, boundary: boundary, pieceLength: length + 1), "the pieces change the result")
    }

    /// The parts with their whole content, each followed by its end; an error ends the list.
    private static func read(_ body: [UInt8], boundary: String, pieceLength: Int) -> [String] {
        var limits = MultipartLimits()
        limits.fieldBytes = 64
        limits.headerBytes = 256
        limits.parts = 8
        var parser = MultipartParser(boundary: boundary, limits: limits)
        var events: [String] = []
        var content: [UInt8] = []
        do throws(MultipartError) {
            for start in stride(from: 0, to: body.count, by: pieceLength) {
                parser.append(Array(body[start..<min(start + pieceLength, body.count)]))
                while let event = try parser.next() {
                    switch event {
                    case .begin(let part): events.append("\(part)")
                    case .data(let bytes):
                        require(!bytes.isEmpty, "a piece is empty")
                        content += bytes
                    case .end:
                        events.append("\(content)")
                        content = []
                    }
                }
            }
            try parser.finish()
        } catch {
            events.append("\(error)")
        }
        return events
    }
}
