/// The size of a picture as its header declares it.
public struct ImageSize: Sendable, Equatable {
    public let width, height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The pixels that a program has to hold to show the picture, at most 2⁶².
    public var pixels: Int { width * height }
}
