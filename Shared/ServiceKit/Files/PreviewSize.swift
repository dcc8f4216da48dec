/// The previews of a picture. A picture that is smaller keeps its size.
public enum PreviewSize: String, Sendable, CaseIterable {
    /// For lists and timelines.
    case small
    /// For a whole screen.
    case medium

    /// The longer side in pixels, at most.
    var pixels: Int {
        switch self {
        case .small: 480
        case .medium: 1600
        }
    }
}
