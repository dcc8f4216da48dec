import Archive
import Contract
import Wire

/// The layout of an export's zip archive: `<part>/<section>.json` with an array of records, and `files/…`.
///
/// A section goes on in `<section>-2.json` once its text is long. Each call returns the next bytes of the archive.
struct ExportArchive: ~Copyable {
    private var zip = ZipWriter()
    private let moment: Timestamp
    private var open: Section?
    private var names: Set<String> = []

    /// The text of an entry in bytes, after which a section goes on in another one.
    private let longestText: Int

    private struct Section {
        let part: ExportPart
        let name: String
        var number = 1
        var length = 0
        var isEmpty = true
    }

    init(at moment: Timestamp, longestText: Int = 256 << 20) {
        self.moment = moment
        self.longestText = longestText
    }

    /// The bytes of the archive so far.
    var size: UInt64 { zip.offset }

    /// Writes the description of the archive.
    mutating func begin(for account: UserID) throws -> [UInt8] {
        let text = JSONWriter.bytes { json in
            json.object { json in
                json.field("format", 1)
                json.field("user_id", account.description)
                json.field("createdAt", moment)
            }
        }
        return try zip.begin("export.json", modified: moment) + zip.append(text.span) + zip.end()
    }

    /// Writes the records of a page. A page goes on with the last section of the one before or begins new ones.
    mutating func append(_ page: ExportPage, of part: ExportPart) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for section in page.sections {
            if open?.name != section.name || open?.part != part {
                bytes += try endSection()
                bytes += try begin(Section(part: part, name: section.name))
            }
            for record in section.records { bytes += try append(record: record) }
        }
        return bytes
    }

    /// Ends the last section.
    mutating func endSection() throws -> [UInt8] {
        guard open != nil else { return [] }
        open = nil
        return try zip.append(Array("\n]\n".utf8).span) + zip.end()
    }

    /// Begins a file; false if the archive has it already.
    mutating func beginFile(_ name: String, size: Int64) throws -> [UInt8]? {
        guard names.insert("files/" + name).inserted else { return nil }
        return try zip.begin("files/" + name, modified: moment, .copied, isLarge: size >= 1 << 31)
    }

    mutating func append(_ piece: [UInt8]) throws -> [UInt8] { try zip.append(piece.span) }

    mutating func endFile() throws -> [UInt8] { try zip.end() }

    mutating func finish() throws -> [UInt8] { try endSection() + zip.finish() }

    private mutating func begin(_ section: Section) throws -> [UInt8] {
        open = section
        let suffix = section.number == 1 ? "" : "-\(section.number)"
        let name = "\(section.part.rawValue)/\(section.name)\(suffix).json"
        return try zip.begin(name, modified: moment) + zip.append(Array("[\n".utf8).span)
    }

    private mutating func append(record: [UInt8]) throws -> [UInt8] {
        guard var section = open else { return [] }
        var bytes: [UInt8] = []
        if section.length > longestText {
            bytes += try endSection()
            section = Section(part: section.part, name: section.name, number: section.number + 1)
            bytes += try begin(section)
        }
        let separator = section.isEmpty ? "" : ",\n"
        bytes += try zip.append((Array(separator.utf8) + record).span)
        section.isEmpty = false
        section.length += record.count + 2
        open = section
        return bytes
    }
}
