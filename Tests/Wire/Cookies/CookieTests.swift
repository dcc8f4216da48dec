import Testing
import Wire

@Suite("Cookies")
struct CookieTests {
    @Test("A cookie is found by its exact name")
    func reading() {
        let field = CookieField(
            "theme=dark; maru_socket=abc.def-_=; Maru_socket=other;x=\"quoted\" ; empty=;noequals; =odd")
        #expect(field["maru_socket"] == "abc.def-_=")
        #expect(field["Maru_socket"] == "other")
        #expect(field["theme"] == "dark")
        #expect(field["x"] == "quoted")
        #expect(field["empty"] == "")
        #expect(field["noequals"] == nil)
        #expect(field["socket"] == nil)
        #expect(field["maru_socke"] == nil)
    }

    @Test("Of cookies with one name the first counts")
    func duplicates() {
        #expect(CookieField("a=1; a=2")["a"] == "1")
    }

    @Test("No header crashes the parser", arguments: ["", ";", ";;;", "=", "a", " ", "a=\u{FFFD}", "\"", "a=\""])
    func odd(text: String) {
        #expect(CookieField(text)["b"] == nil)
    }

    @Test("A value that is not UTF-8 is ignored")
    func notText() {
        #expect(CookieField([0x61, 0x3D, 0xFF][...])["a"] == nil)
    }

    @Test("A cookie is written with its attributes")
    func writing() throws {
        var cookie = try #require(SetCookie("maru_socket", "abc.def"))
        #expect(cookie.text == "maru_socket=abc.def; Path=/; HttpOnly; SameSite=Lax")
        cookie.path = "/socket.io/"
        cookie.lifetime = .seconds(3600)
        cookie.isSecure = true
        #expect(cookie.text == "maru_socket=abc.def; Path=/socket.io/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax")
    }

    @Test(
        "Text that would break out of the header is refused",
        arguments: ["a;b", "a\r\nX: y", "a b", "a,b", "\"a\"", "é", "a\\b", "a\u{7F}"])
    func injection(text: String) {
        #expect(SetCookie("name", text) == nil)
        #expect(SetCookie(text, "value") == nil)
        #expect(SetCookie("", "value") == nil)
        #expect(SetCookie("a=b", "value") == nil)
    }
}
