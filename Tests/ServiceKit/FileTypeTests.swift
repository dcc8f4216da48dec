import ServiceKit
import Testing

@Suite("File types")
struct FileTypeTests {
    static let samples: [(head: [UInt8], suffix: String?)] = [
        ([0xFF, 0xD8, 0xFF, 0xE0], "jpg"), ([0x89] + Array("PNG\r\n\u{1A}\n".utf8), "png"),
        (Array("GIF89a".utf8), "gif"),
        (Array("RIFF....WEBPVP8 ".utf8), "webp"), (Array("RIFF....AVI LIST".utf8), "avi"),
        (Array("%PDF-1.7".utf8), "pdf"), (Array("PK\u{3}\u{4}".utf8), "zip"), (Array("ID3\u{4}".utf8), "mp3"),
        ([0xFF, 0xFB, 0x90], "mp3"), (Array("\0\0\0\u{14}ftypqt  ".utf8), "mov"),
        (Array("\0\0\0\u{18}ftypmp42".utf8), "mp4"), (Array("\0\0\0\u{18}ftypheic".utf8), "heic"),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "doc"), (Array("안녕하세요\n".utf8), "txt"),
        (Array("MZ\u{90}\0".utf8), nil), ([0x7F] + Array("ELF\u{2}\u{1}\u{1}\0".utf8), nil), ([], nil),
        ([0xC3, 0x28], nil),
    ]

    @Test("The first bytes decide the type", arguments: samples)
    func magic(head: [UInt8], suffix: String?) { #expect(FileType(head: head)?.suffix == suffix) }

    @Test("A name distinguishes a presentation from a document and decides nothing else")
    func names() {
        let container: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
        #expect(FileType(head: container, name: "slides.PPT") == .ppt)
        #expect(FileType(head: Array("%PDF-1.7".utf8), name: "photo.jpg") == .pdf)
    }

    static let cp949: [UInt8] = [0xB0, 0xA1, 0x20, 0xC7, 0xD1, 0x8C, 0x63, 0x0D, 0x0A]

    @Test("CP949 text of older Korean programs is text; similar binary data is not")
    func korean() {
        #expect(FileType(head: Self.cp949) == .text)
        // Two bytes per character; the last one is after the end of the head.
        let long = [0x61] + Array(repeating: [0xB0, 0xA1] as [UInt8], count: 256).joined()
        #expect(FileType(head: Array(long.prefix(FileType.headSize))) == .text)
        for bad in [[0xB0], [0xB0, 0x20], [0x80, 0x41], [0xFF, 0xFE, 0x41], [0xB0, 0xA1, 0]] as [[UInt8]] {
            #expect(FileType(head: bad) == nil, "\(bad)")
        }
    }

    @Test(
        "A name keeps a suffix that fits its type; otherwise the type's suffix is appended",
        arguments: [
            (FileType.zip, "보고서.docx", "보고서.docx"), (.zip, "a.XLSX", "a.XLSX"), (.zip, "a.html", "a.html.zip"),
            (.zip, "docx", "docx.zip"), (.doc, "a.b.xls", "a.b.xls"), (.doc, "a.docx", "a.docx.doc"),
            (.text, "a.csv", "a.csv"), (.text, "a.sh", "a.sh.txt"), (.pdf, "a", "a.pdf"),
            (.pdf, "a.docx", "a.docx.pdf"),
        ])
    func title(type: FileType, name: String, title: String) { #expect(type.title(of: name) == title) }

    @Test("The type's suffix is removed from a name, in upper case too")
    func stem() {
        #expect(FileType.pdf.stem(of: "REPORT.PDF") == "REPORT")
        #expect(FileType.pdf.stem(of: "a.pdf.pdf") == "a.pdf")
        #expect(FileType.pdf.stem(of: "apdf") == "apdf")
        #expect(FileType.zip.stem(of: "a.docx") == "a.docx")
    }

    @Test("An incomplete character at the end of the head does not make text binary")
    func cutCharacter() {
        let text = Array(String(repeating: "가", count: 300).utf8)
        for count in 500...FileType.headSize where count == FileType.headSize {
            #expect(FileType(head: Array(text.prefix(count))) == .text)
        }
    }
}
