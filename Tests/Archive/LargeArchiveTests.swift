import Foundation
import TestSupport
import Testing
import Wire

@testable import Archive

@Suite("Archives beyond 4 GiB")
struct LargeArchiveTests {
    @Test("An archive after 5 GiB of other bytes, with content of more than 4 GiB, is read back whole")
    func largeArchive() throws {
        let folder = TemporaryFolder("maru-zip")
        let path = folder.path + "/a.zip"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        // A hole in the file: it takes no room on the disk.
        let start: UInt64 = 5 << 30
        try file.truncate(atOffset: start)
        try file.seek(toOffset: start)
        var zip = ZipWriter(at: start)
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        try file.write(contentsOf: try zip.begin("zeros", modified: ZipWriterTests.moment, isLarge: true))
        for _ in 0..<257 { try file.write(contentsOf: try zip.append(zeros.span)) }
        try file.write(contentsOf: try zip.end() + zip.begin("small", modified: ZipWriterTests.moment))
        try file.write(contentsOf: try zip.append(Array("end".utf8).span) + zip.end() + zip.finish())
        try file.close()
        let script = """
            size = 0
            with z.open('zeros') as f:
                while piece := f.read(1 << 24): size += len(piece)
            print(size, z.read('small').decode(), z.getinfo('small').header_offset > 5 << 30)
            """
        #expect(try readZip(script, path) == "\(257 << 24) end True")
    }

    @Test("An entry that outgrows its declared size is refused")
    func outgrown() throws {
        var zip = ZipWriter()
        _ = try zip.begin("a", modified: ZipWriterTests.moment)
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        #expect(throws: ZipError.entryTooLarge) {
            for _ in 0..<65 { _ = try zip.append(zeros.span) }
        }
    }
}
