import Contract
import ServiceKit

/// The columns of a file that has previews.
struct PictureRecord: Sendable, Equatable {
    /// Of the picture as it is shown, in pixels.
    let width, height: Int
    let isAnimated: Bool
    /// A BlurHash.
    let blur: String

    func view(_ path: String) -> FilePreview {
        FilePreview(file: path, width: width, height: height, isAnimated: isAnimated, blur: blur)
    }
}

extension PictureRecord {
    init(_ made: MadePreviews) {
        self.init(width: made.width, height: made.height, isAnimated: made.isAnimated, blur: made.blur)
    }
}
