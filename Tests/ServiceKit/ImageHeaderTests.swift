import Testing

@testable import ServiceKit

@Suite("Image headers")
struct ImageHeaderTests {
    /// The beginnings of pictures of 640 x 480 pixels, by format.
    static let samples: [(format: String, bytes: [UInt8])] = [
        ("png", pngStart + [0, 0, 2, 128, 0, 0, 1, 224] + filler(9)),
        ("gif", Array("GIF89a".utf8) + [128, 2, 224, 1] + filler(40)),
        ("gif with a larger first frame", gif(colours: 0) + frame),
        ("gif with colours, a comment and a larger first frame", gif(colours: 256) + comment + frame),
        ("webp lossy", riff("VP8 ", filler(10) + [128, 2, 224, 1])),
        // The upper bits are the scale.
        ("webp scaled", riff("VP8 ", filler(10) + [128, 0x42, 224, 0x81])),
        ("webp lossless", riff("VP8L", filler(4) + [0x2F, 0x7F, 0xC2, 0x77, 0x10] + filler(10))),
        ("webp extended", riff("VP8X", filler(8) + [127, 2, 0, 223, 1, 0])),
        ("jpeg", jpeg([])),
        ("jpeg with segments", jpeg([(0xE0, 14), (0xE1, 65533), (0xDB, 65), (0xC4, 30), (0xFE, 0)])),
        ("jpeg with fill bytes", [0xFF, 0xD8, 0xFF] + jpeg([])[2...] + filler(10)),
        ("jpeg with bytes between segments", [0xFF, 0xD8, 0xFF, 0xE0, 0, 3, 1, 7, 7, 0xFF, 0, 9] + jpeg([])[2...]),
        ("jpeg with a segment without a length", [0xFF, 0xD8, 0xFF, 0xE5, 0, 0] + jpeg([])[2...]),
        ("progressive jpeg", jpeg([(0xE0, 14)], frame: 0xC2)),
        ("heic", heic([box("hdlr", filler(25)), properties([(640, 480)])])),
        ("heic of tiles", heic([box("pitm", filler(6)), properties([(256, 256), (640, 480), (512, 512)])])),
        ("heic with a large box", heic([largeBox("iinf", filler(70000)), properties([(640, 480)])])),
        ("heic with data first", start + box("mdat", filler(3000)) + box("meta", filler(4) + properties([(640, 480)]))),
    ]

    private static func filler(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func riff(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        Array("RIFF\0\0\0\0WEBP\(kind)".utf8) + content
    }

    /// The beginning of a GIF with a screen of 1 x 480 pixels.
    private static func gif(colours: Int) -> [UInt8] {
        // Two colours to the power of the lower three bits and one more.
        let flags: UInt8 = colours == 0 ? 0 : 0x87
        return Array("GIF89a".utf8) + [1, 0, 224, 1, flags, 0, 0] + filler(3 * colours)
    }

    /// A comment of two parts.
    private static var comment: [UInt8] { [0x21, 0xFE, 2, 0x2C, 0x2C, 200] + filler(200) + [0] }

    /// The first frame of a GIF: 600 x 1 pixels, 40 pixels from the left.
    private static var frame: [UInt8] { [0x2C, 40, 0, 0, 0, 88, 2, 1, 0, 0] + filler(10) }

    private static func jpeg(_ segments: [(marker: UInt8, size: Int)], frame: UInt8 = 0xC0) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for segment in segments {
            bytes += [0xFF, segment.marker]
            bytes += number(segment.size + 2, 2)
            bytes += filler(segment.size)
        }
        bytes += [0xFF, frame, 0, 17, 8]
        bytes += number(480, 2)
        bytes += number(640, 2)
        return bytes + filler(20)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, 4) + Array(type.utf8) + content
    }

    private static func largeBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(1, 4) + Array(type.utf8) + number(content.count + 16, 8) + content
    }

    private static func properties(_ sizes: [(Int, Int)]) -> [UInt8] {
        var all: [UInt8] = []
        for (width, height) in sizes {
            var content = filler(4)
            content += number(width, 4)
            content += number(height, 4)
            all += box("ispe", content)
            all += box("colr", filler(9))
        }
        return box("iprp", box("ipco", all))
    }

    private static func heic(_ boxes: [[UInt8]]) -> [UInt8] {
        start + box("meta", filler(4) + boxes.flatMap(\.self))
    }

    /// The first box of a HEIC file.
    private static var start: [UInt8] { box("ftyp", Array("heic".utf8) + filler(12)) }

    private static var pngStart: [UInt8] { [0x89] + Array("PNG\r\n\u{1A}\n\0\0\0\rIHDR".utf8) }

    private static func size(of bytes: [UInt8], pieces: Int = .max) -> ImageSize? {
        var header = ImageHeader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            piece.withUnsafeBytes { header.read($0) }
            rest = rest.dropFirst(piece.count)
        }
        return header.size
    }

    @Test("The size is read from every format, in pieces of any size", arguments: samples, [1, 7, 100, .max])
    func sizes(sample: (format: String, bytes: [UInt8]), pieces: Int) {
        #expect(Self.size(of: sample.bytes, pieces: pieces) == ImageSize(width: 640, height: 480), "\(sample.format)")
    }

    @Test("A header that is cut off has no size, or that of the picture", arguments: samples)
    func cut(sample: (format: String, bytes: [UInt8])) {
        for count in [0, 1, 8, 12, 16, 20, 24, 29, 31, sample.bytes.count / 2] {
            let size = Self.size(of: Array(sample.bytes.prefix(count)))
            #expect(size == nil || size!.pixels <= 640 * 480, "\(sample.format) \(count)")
        }
    }

    @Test("A file that is not a picture, or is broken, has no size")
    func others() {
        let zeros = Self.filler(100)
        var broken: [[UInt8]] = [Array("%PDF-1.7".utf8) + zeros, Array("GIF88a".utf8) + zeros]
        // A scan without a frame, a segment shorter than its length, and a marker that is none.
        broken += [[0xFF, 0xD8, 0xFF, 0xDA] + zeros, [0xFF, 0xD8, 0xFF, 0xE0, 0, 1] + zeros]
        broken.append([0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 7, 7] + zeros)
        // Boxes shorter than their head or their content.
        for (size, type) in [(7, "mdat"), (9, "ispe")] as [(UInt8, String)] {
            broken.append(Self.start + [0, 0, 0, size] + Array(type.utf8) + zeros)
        }
        for bytes in broken { #expect(Self.size(of: bytes) == nil) }
    }

    @Test("The largest numbers do not overflow")
    func largest() {
        let ones = [UInt8](repeating: 255, count: 100)
        let png = Self.pngStart + ones
        #expect(Self.size(of: png)?.pixels == 1 << 62)
        let heic = Self.heic([Self.properties([(0xFFFF_FFFF, 0xFFFF_FFFF)])])
        #expect(Self.size(of: heic)?.pixels == 1 << 62)
        let huge = Self.start + [0, 0, 0, 1] + Array("mdat".utf8)
        #expect(Self.size(of: huge + ones) == nil)
    }
}
