internal import Wire

/// The properties of a picture that a native client gets before it loads the picture. The previews themselves are at
/// the picture's path with `?size=small` and `?size=medium`.
public struct FilePreview: Sendable, Equatable {
    /// The path of the picture, one of the message's files.
    public let file: String
    /// The size in pixels of the picture as it is shown.
    public let width, height: Int
    /// Whether it moves. Its previews are still.
    public let isAnimated: Bool
    /// The picture as a BlurHash, to be shown until a preview is loaded.
    public let blur: String

    public init(file: String, width: Int, height: Int, isAnimated: Bool, blur: String) {
        self.file = file
        self.width = width
        self.height = height
        self.isAnimated = isAnimated
        self.blur = blur
    }
}

extension FilePreview {
    /// Nil if a member is missing.
    init?(_ json: JSONValue) {
        guard let file = json.string("file"), let width = json["width"]?.int, let height = json["height"]?.int,
            let blur = json.string("blur")
        else { return nil }
        self.init(
            file: file, width: width, height: height, isAnimated: json.bool("animated") ?? false, blur: blur)
    }

    /// The same form for clients and for events.
    func write(to json: inout JSONWriter) {
        json.field("file", file)
        json.field("width", width)
        json.field("height", height)
        if isAnimated { json.field("animated", true) }
        json.field("blur", blur)
    }

    /// Writes the member `previews` of a message, if there are some.
    static func writeMember(_ previews: [FilePreview], to json: inout JSONWriter) {
        guard !previews.isEmpty else { return }
        json.array("previews") { json in for preview in previews { json.object { preview.write(to: &$0) } } }
    }
}

extension FilePreview {
    static let entity = Schema.Entity(
        "FilePreview", "A picture of a message before it is loaded.",
        [
            .has("file", .path), .has("width", .count), .has("height", .count), .may("animated", .flag),
            .has("blur", .text, "A BlurHash."),
        ])
}
