import Testing
import Wire

@Suite("Multipart bodies")
struct MultipartTests {
    private typealias Part = MultipartForm.Part

    private func error(_ text: String, limits: MultipartLimits = MultipartLimits()) -> MultipartError? {
        do {
            _ = try MultipartForm(Array(text.utf8), limits: limits)
            return nil
        } catch { return error as? MultipartError }
    }

    private func field(_ headers: String, _ content: String = "x") -> String {
        "--XX\r\n\(headers)\r\n\r\n\(content)\r\n--XX--\r\n"
    }

    @Test("The parts are the same however the body is cut into pieces")
    func pieces() throws {
        let parts = [
            Part(name: "content", content: Array("안녕하세요\r\n--XY\r\n\r\r\n-".utf8)),
            Part(
                name: "image", fileName: "사진 1.png", contentType: "image/png",
                content: [0x89, 0x0D, 0x0A, 0x0D, 0x0A, 0x2D]),
            Part(name: "empty", content: []),
            Part(name: "files", fileName: "", contentType: "application/octet-stream", content: []),
            Part(name: "almost", fileName: "a", content: Array("\r\n--X\r\n--\r\n--X".utf8)),
        ]
        let body = MultipartForm.body(parts)
        for length in 1...body.count {
            #expect(try MultipartForm(body, pieceLength: length).parts == parts, "pieces of \(length)")
        }
    }

    @Test("Any content that does not contain the boundary arrives unchanged")
    func randomContent() throws {
        for _ in 0..<200 {
            let alphabet: [UInt8] = [0x0D, 0x0A, 0x2D, 0x58, 0x00, 0xFF]
            let parts = (0..<Int.random(in: 0..<5)).map { index in
                Part(
                    name: "part\(index)", fileName: Bool.random() ? "f" : nil,
                    content: (0..<Int.random(in: 0..<200)).map { _ in alphabet.randomElement()! })
            }
            let body = MultipartForm.body(parts, boundary: "XX--boundary")
            let form = try MultipartForm(body, boundary: "XX--boundary", pieceLength: .random(in: 1..<100))
            #expect(form.parts == parts)
        }
    }

    @Test("A part without a file name is a field, even if its type is an image")
    func labelledText() throws {
        let body = field("Content-Disposition: form-data; name=\"name\"\r\nContent-Type: image/jpeg", "우리 팀")
        let part = try #require(MultipartForm(Array(body.utf8)).parts.first)
        #expect(part == Part(name: "name", fileName: nil, contentType: "image/jpeg", content: Array("우리 팀".utf8)))
    }

    @Test("A field and a file of one name are distinguished by the file name")
    func twice() throws {
        let parts = [
            Part(name: "image", fileName: "image.jpeg", contentType: "image/jpeg", content: [0xFF, 0xD8]),
            Part(name: "image", content: Array("some text".utf8)),
        ]
        #expect(try MultipartForm(MultipartForm.body(parts)).parts == parts)
    }

    @Test(
        "Headers are read in all forms that clients write",
        arguments: [
            ("content-disposition:form-data;name=a;filename=b.png", "a", "b.png"),
            ("CONTENT-DISPOSITION: Form-Data; Name=\"a\"; FileName=\"b c.png\"", "a", "b c.png"),
            (#"Content-Disposition: form-data; name="a"; filename="q\"uo\\te.png""#, "a", #"q"uo\te.png"#),
            (#"Content-Disposition: form-data; name="a"; filename="C:\temp\x.png""#, "a", #"C:\temp\x.png"#),
            (#"Content-Disposition: form-data; name="a"; filename="semi;colon.png""#, "a", "semi;colon.png"),
            (
                "Content-Disposition: form-data; name=\"a\"; filename=x.png; filename*=UTF-8''%ED%95%9C.png", "a",
                "한.png"
            ),
            ("Content-Disposition: form-data; name=\"a\"; filename*=iso-8859-1''%FF; filename=y.png", "a", "y.png"),
            (
                "X-Other: 1\r\nContent-Length: 1\r\nContent-Disposition: form-data; name=\"a\" ; filename=\"b\" ;", "a",
                "b"
            ),
            ("Content-Disposition: form-data; name=\"\"; filename=\"\"", "", ""),
        ])
    func headers(headers: String, name: String, fileName: String) throws {
        let part = try #require(MultipartForm(Array(field(headers).utf8)).parts.first)
        #expect(part.name == name)
        #expect(part.fileName == fileName)
        #expect(part.text == "x")
    }

    @Test(
        "Headers that do not name a field are refused",
        arguments: [
            "Content-Type: text/plain", "Content-Disposition: form-data", "Content-Disposition: attachment; name=a",
            "nonsense",
            ": form-data; name=a", "Content-Disposition form-data; name=a", "Content-Disposition: form-data; name=\"a",
            "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
            "Content-Disposition: form-data; name=a\rX: y", "Content-Disposition: form-data;\r\n name=a",
            "Content-Disposition: form-data; name=\"a\"x; b=c",
        ])
    func badHeaders(headers: String) {
        #expect(error(field(headers)) == .malformedHeader)
    }

    @Test("A part without headers is refused at once")
    func noHeaders() {
        #expect(error("--XX\r\n\r\nx\r\n--XX--") == .malformedHeader)
    }

    @Test("A form may be empty, begin with an empty line, and have blanks after boundaries and text after its end")
    func edges() throws {
        #expect(error("--XX--") == nil)
        #expect(error("--XX--\r\n") == nil)
        #expect(error("\r\n--XX--\r\n") == nil)
        #expect(error("--XX--anything\r\n--XX\r\n") == nil)
        let text = "--XX \t \r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--XX--"
        #expect(try MultipartForm(Array(text.utf8)).parts == [Part(name: "a", content: [0x78])])
    }

    @Test(
        "A body with a wrong boundary is refused",
        arguments: [
            "x", "--YY\r\n", "-XX", "\n--XX", "\r\n\r\n--XX", "--XX-\r\n", "--XXXX", "--XX -- ", "--XX\n\n", "--XX\r\r",
        ])
    func badBoundaries(text: String) {
        #expect(error(text) == .malformedBoundary)
    }

    @Test("Endless blanks after a boundary are refused")
    func blanks() {
        #expect(error("--XX" + String(repeating: " ", count: 1000)) == .malformedBoundary)
    }

    @Test("A body that ends early is refused wherever it ends")
    func cutOff() throws {
        let body = MultipartForm.body([
            Part(name: "a", content: [1]), Part(name: "b", fileName: "c", content: [2, 13, 10]),
        ])
        for length in 0..<body.count - 2 {
            #expect(throws: MultipartError.incomplete) { try MultipartForm(Array(body[..<length])) }
        }
    }

    @Test("Parts, headers, fields and files have limits, and a body just within them passes")
    func limits() throws {
        var limits = MultipartLimits()
        limits.parts = 2
        limits.headerBytes = 60
        limits.fieldBytes = 10
        limits.fileBytes = 20
        func check(_ parts: [Part], _ expected: MultipartError?) {
            let body = MultipartForm.body(parts)
            for length in [1, 7, body.count] {
                do {
                    #expect(try MultipartForm(body, pieceLength: length, limits: limits).parts == parts)
                    #expect(expected == nil)
                } catch {
                    #expect(error as? MultipartError == expected)
                }
            }
        }
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0x0D, count: count) }
        check([Part(name: "a"), Part(name: "b")], nil)
        check([Part(name: "a"), Part(name: "b"), Part(name: "c")], .tooManyParts)
        check([Part(name: "a", content: bytes(10))], nil)
        check([Part(name: "a", content: bytes(11))], .fieldTooLarge)
        check([Part(name: "a", fileName: "", content: bytes(20))], nil)
        check([Part(name: "a", fileName: "", content: bytes(21))], .fileTooLarge)
        // "Content-Disposition: form-data; name=\"\"" is 39 bytes long.
        check([Part(name: String(repeating: "n", count: 21))], nil)
        check([Part(name: String(repeating: "n", count: 22))], .headerTooLarge)
    }

    @Test("Endless headers are refused while they arrive")
    func endlessHeaders() throws {
        var parser = MultipartParser(boundary: "XX")
        parser.append(Array("--XX\r\n".utf8))
        #expect(throws: MultipartError.headerTooLarge) {
            for _ in 0..<10_000 {
                parser.append(Array("X: y\r\n".utf8))
                while try parser.next() != nil {}
            }
        }
    }

    @Test("Only content that may begin a boundary is held until the next piece")
    func nothingHeldBack() throws {
        var parser = MultipartParser(boundary: "XX")
        parser.append(Array("--XX\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\nabc\r\n--X".utf8))
        _ = try parser.next()
        #expect(try parser.next() == .data(Array("abc".utf8)[...]))
        #expect(try parser.next() == nil)
        parser.append(Array("Y".utf8))
        #expect(try parser.next() == .data(Array("\r\n--XY".utf8)[...]))
    }
}
