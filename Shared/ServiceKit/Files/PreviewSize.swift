/// The previews of a picture. A picture that is smaller keeps its size.
public enum PreviewSize: String, Sendable, CaseIterable {
    /// For lists and timelines.
    case small
    /// For a whole screen.
    case medium

    /// The name of the preview in the file store that has a picture as `name`.
    public func storeName(of name: String) -> String {
        "\(name.prefix { $0 != "." }).\(self).\(FileType.webp.suffix)"
    }

    /// The longer side in pixels, at most.
    var pixels: Int {
        switch self {
        case .small: 480
        case .medium: 1600
        }
    }
}
