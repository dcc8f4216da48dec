import Foundation
import TestSupport
import Testing
import Wire

@testable import Archive

/// Archives are read by Python's `zipfile`, which checks every checksum.
@Suite("Zip archives")
struct ZipWriterTests {
    static let moment = Timestamp(milliseconds: 1_700_000_000_000)

    private func append(_ text: String, to zip: inout ZipWriter) throws -> [UInt8] {
        try zip.append(Array(text.utf8).span)
    }

    @Test("An archive that was written piece by piece has every entry, name, time and byte")
    func entries() throws {
        let folder = TemporaryFolder("maru-zip")
        var zip = ZipWriter()
        var bytes = try zip.begin("account/새싹.json", modified: Self.moment)
        for number in 0..<20_000 { bytes += try append("{\"number\":\(number)}\n", to: &zip) }
        bytes += try zip.end()
        var random = SystemRandomNumberGenerator()
        let picture = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes += try zip.begin("files/a.png", modified: Self.moment, .copied)
        for start in stride(from: 0, to: picture.count, by: 70_000) {
            bytes += try zip.append(Array(picture[start...].prefix(70_000)).span)
        }
        bytes += try zip.end() + zip.begin("empty", modified: Timestamp(milliseconds: 0)) + zip.end() + zip.finish()
        #expect(zip.offset == UInt64(bytes.count) && zip.count == 3)
        let path = folder.path + "/a.zip"
        try Data(bytes).write(to: URL(filePath: path))
        let listing = try readZip(
            "print(z.testzip(), [(i.filename, i.file_size, i.date_time) for i in z.infolist()])", path)
        #expect(
            listing
                == "None [('account/새싹.json', 328890, (2023, 11, 14, 22, 13, 20)), ('files/a.png', 300000, (2023, 11, 14, 22, 13, 20)), ('empty', 0, (1980, 1, 1, 0, 0, 0))]"
        )
        let text = try readZip(
            "print(z.read('account/새싹.json').decode().splitlines()[-1], len(z.read('files/a.png')))", path)
        #expect(text == #"{"number":19999} 300000"#)
        // Text shrinks, and compressed content grows by its frames alone.
        let sizes = try readZip("print([i.compress_size for i in z.infolist()])", path)
        #expect(sizes.contains("30") && bytes.count < 450_000)
    }

    @Test("More than 65,535 entries make an archive with the records of Zip64")
    func manyEntries() throws {
        let folder = TemporaryFolder("maru-zip")
        var zip = ZipWriter()
        var bytes: [UInt8] = []
        for number in 0..<70_000 {
            bytes += try zip.begin("f/\(number)", modified: Self.moment)
            bytes += try append("\(number)", to: &zip)
            bytes += try zip.end()
        }
        bytes += try zip.finish()
        let path = folder.path + "/a.zip"
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try readZip("print(len(z.namelist()), z.read('f/69999').decode())", path) == "70000 69999")
    }

    @Test("A second open entry and a missing name are refused")
    func refusals() throws {
        var zip = ZipWriter()
        #expect(throws: ZipError.noEntryIsOpen) { _ = try zip.append([1].span) }
        #expect(throws: ZipError.invalidName) { _ = try zip.begin("", modified: Self.moment) }
        _ = try zip.begin("a", modified: Self.moment)
        #expect(throws: ZipError.entryIsOpen) { _ = try zip.begin("b", modified: Self.moment) }
        #expect(throws: ZipError.entryIsOpen) { _ = try zip.finish() }
    }

    @Test(
        "Times are those of UTC, within the years that archives know",
        arguments: [
            ("1999-12-31T23:59:58.000Z", 1999, 12, 31, 23, 59, 58), ("2024-02-29T00:00:01.000Z", 2024, 2, 29, 0, 0, 0),
            ("2000-03-01T12:30:44.000Z", 2000, 3, 1, 12, 30, 44), ("1970-01-01T00:00:00.000Z", 1980, 1, 1, 0, 0, 0),
            ("2200-01-01T00:00:00.000Z", 2107, 12, 31, 23, 59, 58),
        ])
    func times(text: String, year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) throws {
        let time = ZipTime(try #require(Timestamp(text)))
        #expect(Int(time.date) == (year - 1980) << 9 | month << 5 | day)
        #expect(Int(time.time) == hour << 11 | minute << 5 | (second / 2))
    }
}
