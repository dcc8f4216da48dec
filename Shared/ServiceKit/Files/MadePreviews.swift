/// The previews of a picture as the program `picture-previews` writes them: a line of text, and then both previews.
public struct MadePreviews: Sendable, Equatable {
    /// The size in pixels of the picture as it is shown.
    public let width, height: Int
    /// Whether it moves. Its previews are still.
    public let isAnimated: Bool
    /// A BlurHash.
    public let blur: String
    private let small, medium: [UInt8]

    /// The most bytes that the program may write.
    static let maxOutput = 4 << 20

    /// Nil for an output that the program does not write.
    init?(_ output: [UInt8]) {
        guard let end = output.firstIndex(of: UInt8(ascii: "\n")),
            let line = String(validating: output[..<end], as: UTF8.self)
        else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, let width = Int(words[0]), let height = Int(words[1]), width > 0, height > 0,
            let smallSize = Int(words[4]), let mediumSize = Int(words[5]), smallSize > 0, mediumSize > 0,
            smallSize <= Self.maxOutput, mediumSize <= Self.maxOutput,
            output.count == end + 1 + smallSize + mediumSize, !words[3].isEmpty
        else { return nil }
        self.width = width
        self.height = height
        isAnimated = words[2] == "1"
        blur = String(words[3])
        small = Array(output[(end + 1)..<(end + 1 + smallSize)])
        medium = Array(output[(end + 1 + smallSize)...])
    }

    /// A preview in WebP, without metadata.
    public func bytes(_ size: PreviewSize) -> [UInt8] {
        switch size {
        case .small: small
        case .medium: medium
        }
    }
}
