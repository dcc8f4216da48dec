import EventLoop
import Glibc
import HTTP
import ServiceKit

/// The command of operators for their daily work: see docs/maructl.md.
@main
enum Maructl {
    static func main() {
        let environment = Config.environmentVariables()
        do {
            switch try CommandLineParser(commands: CommandList.all).parse(Array(CommandLine.arguments.dropFirst())) {
            case .help(let words): end(.done, [Help.text(words, CommandList.all)])
            case .version: end(.done, ["maructl \(Build.version)"])
            case .run(let invocation) where invocation.command.action == .capacity:
                // There may be no settings yet.
                let outcome = Performer.capacity(invocation)
                end(outcome.status, outcome.lines)
            case .run(let invocation): try run(invocation, environment)
            }
        } catch {
            Terminal.complain("\(error)")
            end(.usage)
        }
    }

    private static func end(_ status: ExitStatus, _ lines: [String] = []) -> Never {
        Terminal.print(lines)
        exit(status.rawValue)
    }

    private static func run(_ invocation: Invocation, _ environment: [String: String]) throws -> Never {
        var file = ""
        if let path = invocation.options.config {
            guard let text = Config.textOfFile(path) else { throw UsageError("cannot read \(path)") }
            file = text
        }
        let settings = try Settings(file: file, environment: environment)
        let loops = EventLoopGroup(count: 1)
        let client = OperatorClient(
            http: HTTPClient(on: loops), settings: settings,
            operatorName: invocation.options.operatorName ?? Terminal.userName(environment))
        Task(executorPreference: loops.loops[0]) {
            do {
                let outcome = try await Performer(client: client, loop: loops.loops[0]).perform(invocation)
                end(outcome.status, outcome.lines)
            } catch let failure as CallFailure {
                Terminal.complain("\(failure)")
                end(failure.exitStatus)
            } catch let refusal as Performer.Refusal {
                Terminal.complain(refusal.reason)
                end(refusal.status)
            } catch {
                Terminal.complain("\(error)")
                end(.failed)
            }
        }
        while true { pause() }
    }
}
