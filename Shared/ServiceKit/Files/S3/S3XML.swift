/// Reads texts of elements from the XML that S3 replies with, such as `<UploadId>abc</UploadId>`.
///
/// These replies are small, have a fixed form and hold no element within the elements that are read, so a search for tags is
/// enough.
enum S3XML {
    /// The text of the first element of that name; nil if there is none.
    static func text(of element: String, in xml: [UInt8]) -> String? {
        let text = String(decoding: xml, as: UTF8.self)
        guard let begin = text.firstRange(of: "<\(element)>"),
            let end = text[begin.upperBound...].firstRange(of: "</\(element)>")
        else { return nil }
        return unescaped(text[begin.upperBound..<end.lowerBound])
    }

    /// Writes a text so that an element can hold it.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let entity = entities.first(where: { rest.hasPrefix($0.name) }) else {
                result.append(rest.removeFirst())
                continue
            }
            result += entity.text
            rest = rest.dropFirst(entity.name.count)
        }
        return result + rest
    }

    private static let entities: [(name: String, text: String)] = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#34;", "\""),
        ("&#39;", "'"),
    ]
}
