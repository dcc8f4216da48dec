@testable import PictureHeaders

extension FuzzTarget {
    /// The size of a picture does not depend on the pieces in which its header arrives.
    static let image = FuzzTarget { bytes in
        func size(inPiecesOf length: Int) -> ImageSize? {
            var header = ImageHeader()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(length))
                piece.withUnsafeBytes { header.read($0) }
                rest = rest.dropFirst(piece.count)
            }
            return header.size
        }
        let whole = size(inPiecesOf: max(1, bytes.count))
        require(whole == size(inPiecesOf: 1), "single bytes give another size")
        require(whole == size(inPiecesOf: 13), "pieces give another size")
        if let whole { require(whole.pixels >= 0 && whole.width >= 0, "a size is negative") }
    }
}
