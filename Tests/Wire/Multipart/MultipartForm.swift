import Wire

/// The parts of a body, assembled from the events.
struct MultipartForm: Equatable {
    struct Part: Equatable {
        var name: String
        var fileName: String?
        var contentType: String?
        var content: [UInt8] = []

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    var parts: [Part] = []

    init(_ parts: [Part]) { self.parts = parts }

    /// Parses `body` in pieces of `pieceLength` bytes.
    init(
        _ body: [UInt8], boundary: String = "XX", pieceLength: Int = .max, limits: MultipartLimits = MultipartLimits()
    ) throws {
        var parser = MultipartParser(boundary: boundary, limits: limits)
        var isOpen = false
        var start = 0
        while start < body.count {
            let end = pieceLength < body.count - start ? start + pieceLength : body.count
            parser.append(Array(body[start..<end]))
            start = end
            while let event = try parser.next() {
                switch event {
                case .begin(let part):
                    precondition(!isOpen)
                    isOpen = true
                    parts.append(Part(name: part.name, fileName: part.fileName, contentType: part.contentType))
                case .data(let bytes):
                    precondition(isOpen && !bytes.isEmpty)
                    parts[parts.count - 1].content += bytes
                case .end:
                    precondition(isOpen)
                    isOpen = false
                }
            }
        }
        try parser.finish()
        precondition(!isOpen)
    }

    /// A body with these parts, as clients write it.
    static func body(_ parts: [Part], boundary: String = "XX") -> [UInt8] {
        var output = ByteWriter()
        for part in parts {
            output.append("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"")
            if let fileName = part.fileName { output.append("; filename=\"\(fileName)\"") }
            if let contentType = part.contentType { output.append("\r\nContent-Type: \(contentType)") }
            output.append("\r\n\r\n")
            output.append(part.content)
            output.append("\r\n")
        }
        output.append("--\(boundary)--\r\n")
        return output.bytes
    }
}
