import Testing
import Wire

@Suite("Headers with parameters")
struct HeaderParametersTests {
    @Test("Types and parameter names ignore case, parameter values keep it")
    func reading() {
        let type = HeaderParameters(" Text/HTML ; Charset=\"UTF-8\"; x=Y ;; z = \"a;b\" ")
        #expect(type?.value == "text/html")
        #expect(type?["charset"] == "UTF-8")
        #expect(type?["x"] == "Y")
        #expect(type?["z"] == "a;b")
        #expect(type?["none"] == nil)
        #expect(HeaderParameters("")?.value == "")
    }

    @Test("A malformed header is refused", arguments: ["a; b=\"c", "a; b", "a; b=\"c\"d", "a; \"b\""])
    func refused(text: String) {
        #expect(HeaderParameters(text) == nil)
    }

    @Test("More than 32 parameters are refused")
    func many() {
        #expect(HeaderParameters("a" + String(repeating: "; b=c", count: 32)) != nil)
        #expect(HeaderParameters("a" + String(repeating: "; b=c", count: 33)) == nil)
    }

    @Test(
        "A boundary is found, quoted or not",
        arguments: [
            ("multipart/form-data; boundary=alamofire.boundary.8f1c2d", "alamofire.boundary.8f1c2d"),
            ("multipart/form-data; charset=utf-8; boundary=\"with space:x\"", "with space:x"),
            ("Multipart/Form-Data; BOUNDARY=----WebKitFormBoundaryABC", "----WebKitFormBoundaryABC"),
        ])
    func boundaries(text: String, boundary: String) {
        #expect(HeaderParameters(text)?.multipartBoundary == boundary)
    }

    @Test(
        "A missing or invalid boundary is nil",
        arguments: [
            "multipart/form-data", "multipart/mixed; boundary=a", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"a \"",
            "multipart/form-data; boundary=\"a\tb\"",
            "multipart/form-data; boundary=é", "application/json",
            "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
        ])
    func noBoundaries(text: String) {
        #expect(HeaderParameters(text)?.multipartBoundary == nil)
    }
}
