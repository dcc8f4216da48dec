/// A multipart body, as client apps send it.
struct Form: Sendable {
    struct Image: Sendable {
        let name: String
        let bytes: [UInt8]

        static let png = Image(name: "a.png", bytes: [0x89] + Array("PNG\r\n\u{1A}\n the rest of an image".utf8))
        static let program = Image(name: "harmless.png", bytes: [0x7F, 0x45, 0x4C, 0x46, 0, 1, 2, 3])
        /// The empty part that clients send without an image.
        static let empty = Image(name: "image", bytes: [])
    }

    var fields: [(name: String, text: String)] = []
    var image: Image?

    init(_ fields: KeyValuePairs<String, String> = [:], image: Image? = nil) {
        self.fields = fields.map { ($0.key, $0.value) }
        self.image = image
    }

    static let type = ("Content-Type", "multipart/form-data; boundary=b0undary")

    var body: [UInt8] {
        var body: [UInt8] = []
        for (name, text) in fields {
            body += Array("--b0undary\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
        }
        if let image {
            let disposition = #"Content-Disposition: form-data; name="image"; filename="\#(image.name)""#
            body += Array("--b0undary\r\n\(disposition)\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
            body += image.bytes + Array("\r\n".utf8)
        }
        return body + Array("--b0undary--\r\n".utf8)
    }
}
