/// The type of a file by its first bytes; file names and declared types are not trusted.
public struct FileType: Sendable, Equatable {
    /// The suffix of stored files, without the dot.
    public let suffix: String
    /// The value of `Content-Type`.
    public let mediaType: String

    /// The number of first bytes that decide.
    public static let headSize = 512

    public static let jpeg = FileType(suffix: "jpg", mediaType: "image/jpeg")
    public static let png = FileType(suffix: "png", mediaType: "image/png")
    public static let gif = FileType(suffix: "gif", mediaType: "image/gif")
    public static let webp = FileType(suffix: "webp", mediaType: "image/webp")
    public static let heic = FileType(suffix: "heic", mediaType: "image/heic")
    public static let pdf = FileType(suffix: "pdf", mediaType: "application/pdf")
    public static let zip = FileType(suffix: "zip", mediaType: "application/zip")
    public static let mp3 = FileType(suffix: "mp3", mediaType: "audio/mpeg")
    public static let avi = FileType(suffix: "avi", mediaType: "video/x-msvideo")
    public static let mov = FileType(suffix: "mov", mediaType: "video/quicktime")
    public static let mp4 = FileType(suffix: "mp4", mediaType: "video/mp4")
    public static let doc = FileType(suffix: "doc", mediaType: "application/msword")
    public static let ppt = FileType(suffix: "ppt", mediaType: "application/vnd.ms-powerpoint")
    public static let text = FileType(suffix: "txt", mediaType: "text/plain; charset=utf-8")

    /// The accepted types.
    public static let all = [jpeg, png, gif, webp, heic, pdf, zip, mp3, avi, mov, mp4, doc, ppt, text]

    /// The suffixes that names of such files may have: of this format, and of formats with the same first bytes.
    private var kin: [String] {
        switch self {
        case .zip: ["docx", "xlsx", "pptx", "hwpx", "odt", "ods", "odp", "pages", "numbers", "key", "epub"]
        case .doc: ["xls", "hwp"]
        case .mp4: ["m4v", "m4a"]
        case .text: ["csv", "tsv", "md", "log", "json"]
        default: []
        }
    }

    /// The name for downloads of a file that its sender called `name`: unchanged if its suffix fits the type, else with the
    /// type's suffix appended.
    public func title(of name: String) -> String { fittingEnding(of: name).isEmpty ? name + "." + suffix : name }

    /// The ending of a name that fits the type although it is not that of stored files, such as `.docx` of a zip file; empty for
    /// any other name.
    public func fittingEnding(of name: String) -> String {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        return kin.contains(ending.lowercased()) ? "." + ending : ""
    }

    /// The name without the type's suffix, in upper or lower case.
    public func stem(of name: some StringProtocol) -> String {
        let ending = "." + suffix
        return String(name.suffix(ending.count).lowercased() == ending ? name.dropLast(ending.count) : name[...])
    }

    /// Whether it is a picture that client apps can show.
    public var isImage: Bool { mediaType.hasPrefix("image/") }

    /// The type of a stored file by its suffix; nil for any other suffix.
    public init?(suffix: some StringProtocol) {
        guard let type = Self.all.first(where: { $0.suffix == suffix }) else { return nil }
        self = type
    }

    private init(suffix: String, mediaType: String) {
        self.suffix = suffix
        self.mediaType = mediaType
    }

    /// The type of a file that begins with `head`; nil if the type is not accepted.
    ///
    /// - Parameter name: distinguishes Word from PowerPoint, because their files begin alike.
    public init?(head: [UInt8], name: String? = nil) {
        func has(_ magic: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: magic.unicodeScalars.lazy.map { UInt8($0.value) })
        }
        if has("\u{FF}\u{D8}\u{FF}") {
            self = .jpeg
        } else if has("\u{89}PNG\r\n\u{1A}\n") {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF") && has("WEBP", at: 8) {
            self = .webp
        } else if has("RIFF") && has("AVI ", at: 8) {
            self = .avi
        } else if has("%PDF-") {
            self = .pdf
        } else if has("PK\u{3}\u{4}") || has("PK\u{5}\u{6}") {
            self = .zip
        } else if has("ID3") || (head.count > 1 && head[0] == 0xFF && [0xFB, 0xF3, 0xF2].contains(head[1])) {
            self = .mp3
        } else if has("ftyp", at: 4) {
            self = Self.isoMedia(brand: head.dropFirst(8).prefix(4))
        } else if has("\u{D0}\u{CF}\u{11}\u{E0}\u{A1}\u{B1}\u{1A}\u{E1}") {
            self = name?.lowercased().hasSuffix(".ppt") == true ? .ppt : .doc
        } else if Self.isText(head) {
            self = .text
        } else {
            return nil
        }
    }

    private static func isoMedia(brand: ArraySlice<UInt8>) -> FileType {
        switch String(decoding: brand, as: UTF8.self) {
        case "qt  ": .mov
        case "heic", "heix", "mif1", "msf1", "hevc": .heic
        default: .mp4
        }
    }

    /// Whether the head is UTF-8, or CP949 of older Korean programs, without control characters except white space. The last
    /// character of the head may be incomplete.
    private static func isText(_ head: [UInt8]) -> Bool {
        guard !head.isEmpty, !head.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) })
        else { return false }
        let cut = head.count < headSize ? 0 : min(3, head.count)
        return (0...cut).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil } || isCP949(head)
    }

    /// Whether all bytes outside ASCII are pairs of CP949.
    private static func isCP949(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        while let first = rest.popFirst() {
            if first < 0x80 { continue }
            guard (0x81...0xFE).contains(first) else { return false }
            guard let second = rest.popFirst() else { return head.count == headSize }
            switch second {
            case 0x41...0x5A, 0x61...0x7A, 0x81...0xFE: continue
            default: return false
            }
        }
        return true
    }
}
