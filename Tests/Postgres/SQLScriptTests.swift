import Testing

@testable import Postgres

@Suite("Statements of a script")
struct SQLScriptTests {
    @Test(
        "A script is cut at semicolons that end statements",
        arguments: [
            ("select 1; select 2", ["select 1", " select 2"]), ("select 1;\n;  ; -- c\n", ["select 1"]),
            ("select ';'; select ';;'", ["select ';'", " select ';;'"]),
            ("select 'it''s; so'; select 1", ["select 'it''s; so'", " select 1"]),
            ("select \";\"; select 1", ["select \";\"", " select 1"]),
            ("-- a; b\nselect 1; /* c; */ select 2", ["-- a; b\nselect 1", " /* c; */ select 2"]),
            ("do $$ begin a; end $$; select $1 - 1 / 2", ["do $$ begin a; end $$", " select $1 - 1 / 2"]),
            ("do $x$ a; $$ b; $x$; select 1", ["do $x$ a; $$ b; $x$", " select 1"]), ("", []), (" -- nothing", []),
            ("select 'open; ", ["select 'open; "]),
        ])
    func statements(script: String, statements: [String]) {
        #expect(SQLScript.statements(in: script) == statements)
    }

    @Test("The pieces of a script are all of it")
    func pieces() {
        var random = SystemRandomNumberGenerator()
        let parts = ["select ", ";", "'", "\"", "$$", "$x$", "--", "\n", "/*", "*/", "-", "/", "$1", "a", " "]
        for _ in 0..<2_000 {
            let script = (0..<12).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            #expect(SQLScript.pieces(of: script).map { String($0.text) }.joined() == script)
        }
    }
}
