/// Reads the size of a picture from its header while the file arrives: JPEG, PNG, GIF, WebP and HEIC.
///
/// It takes the bytes in pieces of any size and keeps at most 32 of them. A file without a readable header has no size;
/// programs that show pictures cannot read it either.
struct ImageHeader: Sendable {
    /// The largest size so far: a HEIC file declares those of its tiles as well.
    private(set) var size: ImageSize?

    private var step = Step.format
    private var buffer: [UInt8] = []
    /// Bytes that the step needs.
    private var wanted = Self.formatSize
    /// Bytes to skip before the step.
    private var skipped: UInt64 = 0

    private enum Step {
        /// The bytes that tell the formats apart.
        case format
        case jpegMarker
        /// A segment that begins with its length.
        case jpegSegment(isFrame: Bool)
        case jpegFrame
        /// The first byte of a block before the first frame of a GIF.
        case gifBlock(screen: ImageSize)
        /// The length of a part of an extension; the last part has none.
        case gifPart(screen: ImageSize)
        case gifFrame(screen: ImageSize)
        /// The size and the type of an ISO box.
        case box
        /// The 64-bit size of a box of this type.
        case largeBox([UInt8])
        /// The dimensions of an item of a HEIC file.
        case dimensions(after: UInt64)
        case done
    }

    /// Enough for the dimensions of PNG, GIF and every kind of WebP.
    private static let formatSize = 30

    /// Takes the next bytes of the file.
    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if case .done = step { return }
            if skipped > 0 {
                let count = Int(min(skipped, UInt64(rest.count)))
                skipped -= UInt64(count)
                rest = rest.dropFirst(count)
                continue
            }
            if case .jpegMarker = step, buffer.isEmpty {
                // Programs skip bytes between segments.
                rest = rest.drop { $0 != 0xFF }
            }
            let piece = rest.prefix(wanted - buffer.count)
            buffer.append(contentsOf: piece)
            rest = rest.dropFirst(piece.count)
            if buffer.count == wanted { take() }
        }
    }

    /// Handles the bytes that the step needed.
    private mutating func take() {
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        switch step {
        case .format: begin(bytes)
        case .jpegMarker: marker(bytes)
        case .jpegSegment(let isFrame):
            // Programs take a length that is too short for an empty segment.
            let length = max(2, bytes.bigEndian(at: 0, count: 2))
            if isFrame { next(.jpegFrame, 5) } else { next(.jpegMarker, 2, skipping: length - 2) }
        case .jpegFrame:
            note(width: bytes.bigEndian(at: 3, count: 2), height: bytes.bigEndian(at: 1, count: 2))
            end()
        case .gifBlock(let screen): block(bytes[0], screen)
        case .gifPart(let screen):
            if bytes[0] == 0 {
                next(.gifBlock(screen: screen), 1)
            } else {
                next(.gifPart(screen: screen), 1, skipping: UInt64(bytes[0]))
            }
        case .gifFrame(let screen):
            let (left, top) = (bytes.littleEndian(at: 0, count: 2), bytes.littleEndian(at: 2, count: 2))
            let (width, height) = (bytes.littleEndian(at: 4, count: 2), bytes.littleEndian(at: 6, count: 2))
            note(width: max(UInt64(screen.width), left + width), height: max(UInt64(screen.height), top + height))
            end()
        case .box:
            let (size, type) = (bytes.bigEndian(at: 0, count: 4), Array(bytes[4..<8]))
            if size == 1 { next(.largeBox(type), 8) } else { enter(type, size, headSize: 8) }
        case .largeBox(let type): enter(type, bytes.bigEndian(at: 0, count: 8), headSize: 16)
        case .dimensions(let after):
            note(width: bytes.bigEndian(at: 4, count: 4), height: bytes.bigEndian(at: 8, count: 4))
            next(.box, 8, skipping: after)
        case .done: return
        }
    }

    private mutating func next(_ step: Step, _ wanted: Int, skipping count: UInt64 = 0) {
        self.step = step
        self.wanted = wanted
        skipped = count
    }

    private mutating func end() { step = .done }

    private mutating func note(width: UInt64, height: UInt64) {
        let found = ImageSize(width: Int(width), height: Int(height))
        // Two factors below 2³² make a product below 2⁶⁴, which may not fit.
        guard found.width < 1 << 31, found.height < 1 << 31 else {
            size = ImageSize(width: 1 << 31, height: 1 << 31)
            return
        }
        if found.pixels > size?.pixels ?? 0 { size = found }
    }

    /// Handles the first bytes of the file. They are read again as segments or boxes if the format has these.
    private mutating func begin(_ head: [UInt8]) {
        end()
        switch FileType(head: head) {
        case .png:
            guard head[12..<16].elementsEqual("IHDR".utf8) else { return }
            note(width: head.bigEndian(at: 16, count: 4), height: head.bigEndian(at: 20, count: 4))
        case .gif:
            let (width, height) = (head.littleEndian(at: 6, count: 2), head.littleEndian(at: 8, count: 2))
            note(width: width, height: height)
            // A table of colours may follow the first 13 bytes.
            let table: UInt64 = head[10] & 0x80 == 0 ? 0 : 3 << (UInt64(head[10] & 7) + 1)
            next(.gifBlock(screen: ImageSize(width: Int(width), height: Int(height))), 1, skipping: 13 + table)
            head.withUnsafeBytes { read($0) }
        case .webp: webp(head)
        case .jpeg:
            next(.jpegMarker, 2)
            head[2...].withUnsafeBytes { read($0) }
        case .heic:
            next(.box, 8)
            head.withUnsafeBytes { read($0) }
        default: return
        }
    }

    private mutating func webp(_ head: [UInt8]) {
        switch Array(head[12..<16]) {
        case Array("VP8 ".utf8):
            note(
                width: head.littleEndian(at: 26, count: 2) & 0x3FFF,
                height: head.littleEndian(at: 28, count: 2) & 0x3FFF)
        case Array("VP8L".utf8):
            let bits = head.littleEndian(at: 21, count: 4)
            note(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
        case Array("VP8X".utf8):
            note(width: head.littleEndian(at: 24, count: 3) + 1, height: head.littleEndian(at: 27, count: 3) + 1)
        default: return
        }
    }

    /// Handles a block before the first frame. Programs show a first frame that is larger than the screen as a whole.
    private mutating func block(_ kind: UInt8, _ screen: ImageSize) {
        switch kind {
        // The kind of the extension follows.
        case 0x21: next(.gifPart(screen: screen), 1, skipping: 1)
        case 0x2C: next(.gifFrame(screen: screen), 8)
        default: end()
        }
    }

    private mutating func marker(_ bytes: [UInt8]) {
        switch bytes[1] {
        case 0xFF:
            // A fill byte before the marker.
            next(.jpegMarker, 2)
            buffer = [0xFF]
        case 0x00, 0x01, 0xD0...0xD8: next(.jpegMarker, 2)
        // The frames of every coding process; the three others in this range are tables.
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(bytes[1]): next(.jpegSegment(isFrame: true), 2)
        case 0xD9, 0xDA: end()
        default: next(.jpegSegment(isFrame: false), 2)
        }
    }

    /// Enters a box that may contain dimensions, and skips any other.
    private mutating func enter(_ type: [UInt8], _ size: UInt64, headSize: UInt64) {
        switch type {
        case Array("meta".utf8): next(.box, 8, skipping: 4)
        case Array("iprp".utf8), Array("ipco".utf8): next(.box, 8)
        case Array("ispe".utf8) where size >= headSize + 12: next(.dimensions(after: size - headSize - 12), 12)
        default:
            // A size of 0 means "to the end of the file".
            guard size >= headSize else { return end() }
            next(.box, 8, skipping: size - headSize)
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate func bigEndian(at start: Int, count: Int) -> UInt64 {
        self[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate func littleEndian(at start: Int, count: Int) -> UInt64 {
        self[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
