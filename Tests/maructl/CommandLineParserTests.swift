import Testing

@testable import maructl

@Suite("The command line of maructl")
struct CommandLineParserTests {
    private let parser = CommandLineParser(commands: CommandList.all)

    private func invocation(_ line: String) throws -> Invocation {
        let request = try parser.parse(line.split(separator: " ").map(String.init))
        guard case .run(let invocation) = request else {
            Issue.record("\(line) runs nothing")
            throw UsageError("nothing")
        }
        return invocation
    }

    private func reason(_ line: String) -> String? {
        do {
            _ = try parser.parse(line.split(separator: " ").map(String.init))
            return nil
        } catch {
            return error.description
        }
    }

    @Test("Words select a command, and the rest are its values in their places")
    func values() throws {
        let found = try invocation("roles set 3 7 admin")
        #expect(found.command.words == ["roles", "set"])
        #expect(found.values == ["workspace": "3", "user": "7", "role": "admin"])
        #expect(found.options == GlobalOptions())
    }

    @Test("Options may be anywhere, and the options of a command are values")
    func options() throws {
        let found = try invocation("--json users delete --yes 5 --messages delete --as anna")
        #expect(found.values == ["user": "5", "messages": "delete"])
        #expect(found.options == GlobalOptions(isJSON: true, isConfirmed: true, operatorName: "anna"))
        #expect(
            try invocation("webhooks show 3 --state failed").values == ["subscription": "3", "state": "failed"])
        #expect(try invocation("audit --act users --limit 5").values == ["act": "users", "limit": "5"])
    }

    @Test("A user is an id or an address")
    func users() throws {
        #expect(try invocation("users show anna@example.com").values == ["user": "anna@example.com"])
        #expect(reason("users show anna") == "USER must be the id or the address of a user, not anna")
        #expect(reason("users show 0") == "USER must be the id or the address of a user, not 0")
    }

    @Test(
        "A line that no command fits is refused with the reason",
        arguments: [
            ("frobnicate", "unknown command frobnicate; see maructl --help"),
            ("users fly 3", "unknown command users fly; see maructl users --help"),
            ("users", "unknown command users; see maructl users --help"),
            ("users show", "usage: maructl users show USER"),
            ("users show 3 4", "4 is too much: users show USER"),
            ("users show 3 --fast 1", "users show has no option --fast"),
            ("roles set 3 7 owner", "ROLE must be one of admin, member, guest, not owner"),
            ("webhooks show 3 --state lost", "--state must be one of waiting, delivered, failed, not lost"),
            ("workspaces show abc", "WORKSPACE must be a number from 1, not abc"),
            ("workspaces show -5", "WORKSPACE must be a number from 1, not -5"),
            ("users show 3 --as", "--as needs a value"),
            ("audit --limit --json", "--limit needs a value"),
        ])
    func refusals(line: String, expected: String) { #expect(reason(line) == expected) }

    @Test("migrate --plan and migrate plan are one command")
    func plan() throws {
        #expect(try invocation("migrate --plan --json").command.action == .migrationPlan)
        #expect(try invocation("migrate plan").command.action == .migrationPlan)
    }

    @Test("The rest of a command line belongs to the script that it runs")
    func scripts() throws {
        let found = try invocation("--as anna backup --compose --without-secrets folder --json")
        #expect(found.rest == ["--compose", "--without-secrets", "folder", "--json"])
        #expect(found.options == GlobalOptions(operatorName: "anna"))
    }

    @Test("Help lists the commands that begin with the given words")
    func help() throws {
        for (line, expected) in [
            ("", []), ("--help", []), ("users -h", ["users"]), ("users show --help", ["users", "show"]),
        ] {
            guard case .help(let words) = try parser.parse(line.split(separator: " ").map(String.init)) else {
                Issue.record("\(line) is no help")
                continue
            }
            #expect(words == expected)
        }
        let users = Help.text(["sessions"], CommandList.all)
        #expect(users.contains("sessions list USER") && !users.contains("users find"))
        for command in CommandList.all { #expect(Help.text([], CommandList.all).contains(command.usage)) }
    }

    @Test("Each destructive command asks for confirmation, and names its target")
    func harm() {
        for command in CommandList.all {
            guard case .call(let template) = command.action, template.method != "GET" else { continue }
            let isGift = [["users", "enable"], ["webhooks", "replay"], ["backups", "note"]].contains(command.words)
            #expect((command.harm == nil) == isGift, "\(command.usage)")
            guard let harm = command.harm else { continue }
            for argument in command.arguments { #expect(harm.contains("{\(argument.name)}"), "\(command.usage)") }
        }
    }

    @Test("Values are percent-encoded in paths and queries")
    func encoding() {
        let template = CallTemplate(.auth, "GET", "/operator/users/{user}", query: ["text", "role"], .record)
        #expect(
            template.target(["user": "../a b", "text": "민지&x=1"])
                == "/operator/users/..%2Fa%20b?text=%EB%AF%BC%EC%A7%80%26x%3D1")
        #expect(template.target(["user": "5"]) == "/operator/users/5")
    }
}
