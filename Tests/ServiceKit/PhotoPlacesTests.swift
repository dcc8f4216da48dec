import Testing

@testable import ServiceKit

@Suite("Places in photos")
struct PhotoPlacesTests {
    /// EXIF with the size of the picture, a place of degrees, minutes and seconds, and a name after it.
    private static func exif(isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isLittle ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        let head = Array((isLittle ? "II*\0" : "MM\0*").utf8) + number(8, 4)
        let turned = entry(0x0112, 3, 1, number(6, 2) + [0, 0])
        // The directory of the place begins at 38, and the values of the latitude at 68.
        let first = number(2, 2) + turned + entry(0x8825, 4, 1, number(38, 4)) + number(0, 4)
        let north = entry(1, 2, 2, [UInt8(ascii: "N"), 0, 0, 0])
        let latitude = entry(2, 5, 3, number(68, 4))
        let values = [37, 1, 33, 1, 59, 1].flatMap { number($0, 4) }
        return head + first + number(2, 2) + north + latitude + number(0, 4) + values + Array("Jane".utf8)
    }

    private func erased(_ bytes: [UInt8], _ type: FileType) -> [UInt8] {
        var result = bytes
        for edit in PhotoPlaces.edits(of: bytes.span, type: type) {
            result.replaceSubrange(edit.offset..<edit.end, with: edit.bytes)
        }
        #expect(result.count == bytes.count)
        return result
    }

    @Test("The place of a photo goes in both byte orders, and its turn and its author stay", arguments: [true, false])
    func exifDirectories(isLittle: Bool) {
        let exif = Self.exif(isLittle: isLittle)
        for (type, start) in [(FileType.jpeg, 12), (.heic, 700), (.webp, 30)] {
            let before = [UInt8](repeating: 0xAB, count: start)
            let result = erased(before + exif + before, type)
            let place = before.count
            #expect(Array(result[..<(place + 38)]) == before + exif[..<38], "everything before the place stays")
            #expect(result[(place + 38)..<(place + 92)].allSatisfy { $0 == 0 })
            #expect(Array(result[(place + 92)...]) == exif[92...] + before)
        }
    }

    @Test("Directories that lead in circles make no more edits than a file has bytes", .timeLimit(.minutes(5)))
    func circles() {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        func directory(_ entry: [UInt8], next: Int) -> [UInt8] {
            little(256, 2) + (0..<256).flatMap { _ in entry } + little(next, 4)
        }
        // Each of 256 entries names the same directory of 256 values of 65,536 bytes, and the next directory is the same.
        let first = directory(little(0x8825, 2) + little(4, 2) + little(1, 4) + little(4096, 4), next: 8)
        var bytes = [0xFF, 0xD8, 0xFF, 0xE1] + Array("II*\0".utf8) + little(8, 4) + first
        bytes += [UInt8](repeating: 0, count: 4 + 4096 - bytes.count)
        bytes += directory(little(1, 2) + little(1, 2) + little(65_536, 4) + little(0, 4), next: 0)
        bytes += [UInt8](repeating: 0, count: 70_000 - bytes.count)
        let edits = PhotoPlaces.edits(of: bytes.span, type: .jpeg)
        #expect(!edits.isEmpty && edits.reduce(0) { $0 + $1.bytes.count } < 4 << 20)
    }

    @Test("A long row of signed numbers is read once", .timeLimit(.minutes(5)))
    func numbers() {
        let bytes = Array("\0\0\0\u{18}ftypmp42".utf8) + Array(String(repeating: "+11", count: 1 << 20).utf8)
        #expect(PhotoPlaces.edits(of: bytes.span, type: .mp4).isEmpty)
    }

    @Test("Each place of a file with several pictures goes")
    func secondPicture() {
        let exif = Self.exif(isLittle: false)
        let result = erased(exif + [1, 2, 3] + exif, .jpeg)
        #expect(PhotoPlaces.edits(of: result.span, type: .jpeg).isEmpty)
        #expect(result[(exif.count + 41)..<(exif.count + 95)].allSatisfy { $0 == 0 })
    }

    @Test("A PNG keeps valid checksums, and loses profiles that were packed into texts")
    func pngChunks() throws {
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let body = Array(type.utf8) + content
            return Self.number(content.count) + body + Self.number(Int(Self.crc(body)))
        }
        let text = chunk("tEXt", Array("Raw profile type exif\0 4749".utf8))
        let end = chunk("IEND", [])
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let result = erased(signature + chunk("eXIf", Self.exif(isLittle: false)) + text + end, .png)
        var place = signature.count
        var types: [String] = []
        while place < result.count {
            let size = result[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let body = Array(result[(place + 4)..<(place + 8 + size)])
            #expect(Self.number(Int(Self.crc(body))) == Array(result[(place + 8 + size)..<(place + 12 + size)]))
            types.append(String(decoding: body.prefix(4), as: UTF8.self))
            place += 12 + size
        }
        #expect(types == ["eXIf", "maRu", "IEND"])
        #expect(PhotoPlaces.offsets(of: "4749", in: result.span).isEmpty)
    }

    @Test("Properties of XMP are blanked, as attributes and as elements")
    func xmp() {
        func text(_ latitude: String, _ longitude: String, _ altitude: String) -> String {
            #"<a exif:GPSLatitude="\#(latitude)" drone-dji:GpsLongitude='\#(longitude)' tiff:Make="X">"#
                + "<exif:GPSAltitude>\(altitude)</exif:GPSAltitude></a>"
        }
        let result = String(decoding: erased(Array(text("37,33.99N", "126,58E", "35/1").utf8), .webp), as: UTF8.self)
        #expect(result == text("         ", "       ", "    "))
    }

    @Test("A video loses its place, and documents are not looked into")
    func videos() {
        let text = "\u{1}\u{2}+37.5665-126.9780+035.100/\u{3} 1+1=2 +12-34"
        #expect(
            String(decoding: erased(Array(text.utf8), .mov), as: UTF8.self)
                == "\u{1}\u{2}+00.0000-000.0000+000.000/\u{3} 1+1=2 +12-34")
        let box: [UInt8] =
            [0, 0, 0, 32] + Array("loci".utf8) + [0, 0, 0, 0, 0x15, 0xC7] + [UInt8](repeating: 7, count: 18) + [9]
        #expect(Array(erased(box, .mp4).suffix(19)) == [UInt8](repeating: 0, count: 18) + [9])
        #expect(!PhotoPlaces.mayBe(in: .zip) && !PhotoPlaces.mayBe(in: .pdf) && PhotoPlaces.mayBe(in: .heic))
    }

    @Test("A file without a place is left alone, and a cut one does no harm")
    func harmless() {
        let exif = Self.exif(isLittle: true)
        for count in 0..<exif.count {
            let cut = Array(exif.prefix(count))
            let result = erased(cut, .jpeg)
            if count < 64 { #expect(result == cut, "the directory is incomplete") }
        }
        var plain = exif
        plain[22] = 0x24
        #expect(PhotoPlaces.edits(of: plain.span, type: .jpeg).isEmpty)
        #expect(PhotoPlaces.edits(of: [UInt8]().span, type: .png).isEmpty)
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
        }
    }
}
