import TestSupport
import Testing

@testable import HTTP

@Suite struct RouterTests {
    private static func path(_ text: String) -> ArraySlice<UInt8> { Array(("xx" + text).utf8)[2...] }

    private static func describe(_ outcome: Router<String>.Outcome) -> String {
        switch outcome {
        case .found(let match): "\(match.payload) \(match.template)"
        case .otherMethod(let methods): "other " + methods.map(\.rawValue).joined(separator: ",")
        case .unknown: "unknown"
        }
    }

    private static func parameter(_ name: String, _ outcome: Router<String>.Outcome, in text: String) -> String? {
        guard case .found(let match) = outcome else { return nil }
        return match.parameters[name, in: path(text)].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Parameters are not decoded, and an encoded slash separates no segments")
    func parameters() {
        var router = Router<String>()
        router.add(.get, "/v1/workspaces/{id}/channels/{name}/chats", "chats")
        let path = "/v1/workspaces/12/channels/%EC%9D%BC%2F%41/chats"
        let found = router.match(.get, Self.path(path))
        #expect(Self.describe(found) == "chats /v1/workspaces/{id}/channels/{name}/chats")
        #expect(
            Self.parameter("id", found, in: path) == "12"
                && Self.parameter("name", found, in: path) == "%EC%9D%BC%2F%41")
        #expect(Self.parameter("other", found, in: path) == nil)
        for other in ["/v1/workspaces//channels/a/chats", "/v1/workspaces/1/channels/a/chats/", "/v1/workspaces/1", ""]
        {
            #expect(Self.describe(router.match(.get, Self.path(other))) == "unknown", "\(other)")
        }
    }

    @Test("Literals win over parameters, and of equal templates the first one added wins")
    func order() {
        var router = Router<String>()
        router.add(.get, "/users/{user_id}", "member")
        router.add(.get, "/users/my", "me")
        router.add(.get, "/channels/{name}", "first")
        router.add(.get, "/channels/{id}", "second")
        func found(_ path: String) -> String { Self.describe(router.match(.get, Self.path(path))) }
        #expect(found("/users/my") == "me /users/my")
        #expect(found("/users/me") == "member /users/{user_id}")
        #expect(found("/channels/a") == "first /channels/{name}")
        let first = router.match(.get, Self.path("/channels/a"))
        #expect(Self.parameter("name", first, in: "/channels/a") == "a")
        #expect(Self.parameter("id", first, in: "/channels/a") == nil)
    }

    @Test("A path with other methods reports them, and HEAD matches a GET route")
    func methods() {
        var router = Router<String>()
        router.add(.get, "/a", "get")
        router.add(.post, "/a", "post")
        router.add(.delete, "/{id}", "delete")
        router.add(.post, "/b", "only post")
        #expect(Self.describe(router.match(.put, Self.path("/a"))) == "other GET,POST,DELETE")
        #expect(Self.describe(router.match(.delete, Self.path("/a"))) == "delete /{id}")
        #expect(Self.describe(router.match(.head, Self.path("/a"))) == "get /a")
        #expect(Self.describe(router.match(.head, Self.path("/b"))) == "other POST,DELETE")
        #expect(Self.describe(router.match(.other, Self.path("/b"))) == "other POST,DELETE")
        router.add(.head, "/a", "head")
        #expect(Self.describe(router.match(.head, Self.path("/a"))) == "head /a")
    }

    @Test("A rest parameter matches the rest of the path, slashes included, if no other route matches")
    func rests() {
        var router = Router<String>()
        router.add(.get, "/static/{folder}/{file*}", "file")
        router.add(.get, "/static/{folder}/index", "index")
        router.add(.get, "/socket.io/", "socket")
        router.add(.get, "/", "root")
        let path = "/static/profiles/a/b//c"
        let found = router.match(.get, Self.path(path))
        #expect(Self.describe(found) == "file /static/{folder}/{file*}")
        #expect(Self.parameter("file", found, in: path) == "a/b//c")
        #expect(Self.parameter("folder", found, in: path) == "profiles")
        #expect(Self.describe(router.match(.get, Self.path("/static/x/index"))) == "index /static/{folder}/index")
        #expect(Self.parameter("file", router.match(.get, Self.path("/static/x/")), in: "/static/x/") == "")
        #expect(Self.describe(router.match(.get, Self.path("/socket.io/"))) == "socket /socket.io/")
        #expect(Self.describe(router.match(.get, Self.path("/socket.io"))) == "unknown")
        #expect(Self.describe(router.match(.get, Self.path("/"))) == "root /")
        #expect(Self.describe(router.match(.get, Self.path("*"))) == "unknown")
    }

    @Test("Random routes and paths match like a plain search", arguments: 0..<30)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func segments(_ choices: [String]) -> [String] {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in choices.randomElement(using: &random)! }
        }
        var router = Router<String>()
        var routes: [(method: Method, segments: [String], name: String)] = []
        for number in 0..<25 {
            var template = segments(["a", "b", "ab", "", "{x}", "{y}"])
            if Int.random(in: 0..<5, using: &random) == 0 { template.append("{rest*}") }
            let method = [Method.get, .post].randomElement(using: &random)!
            router.add(method, "/" + template.joined(separator: "/"), "\(number)")
            routes.append((method, template, "\(number)"))
        }
        for _ in 0..<300 {
            let path = segments(["a", "b", "ab", "", "c"])
            let text = "/" + path.joined(separator: "/")
            let fitting = routes.filter { Self.fits(path, $0.segments) }
            let expected = fitting.filter { $0.method == .get }.min { Self.isBetter($0.segments, $1.segments) }
            switch router.match(.get, Self.path(text)) {
            case .found(let match): #expect(match.payload == expected?.name, "\(text)")
            case .otherMethod(let methods):
                #expect(expected == nil && !fitting.isEmpty && methods == [.post], "\(text)")
            case .unknown: #expect(fitting.isEmpty, "\(text)")
            }
        }
    }

    private static func fits(_ path: [String], _ template: [String]) -> Bool {
        for (index, segment) in template.enumerated() {
            if segment == "{rest*}" { return path.count > index }
            guard index < path.count else { return false }
            if segment.hasPrefix("{") ? path[index].isEmpty : path[index] != segment { return false }
        }
        return path.count == template.count
    }

    /// Literals before parameters before rests, with earlier segments first; of equal templates the first one added.
    private static func isBetter(_ left: [String], _ right: [String]) -> Bool {
        func rank(_ template: [String]) -> [Int] {
            template.map { $0 == "{rest*}" ? 2 : $0.hasPrefix("{") ? 1 : 0 }
        }
        return rank(left).lexicographicallyPrecedes(rank(right))
    }

    @Test("An invalid template stops the process")
    func impossible() async {
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "/{rest*}/more", 1)
        }
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "no/slash", 1)
        }
    }
}
