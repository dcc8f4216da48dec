import Contract
import Crypto
import HTTP
import ServiceKit
import Wire

/// Calls the bot of a command, and reads its answer.
struct CommandReceivers: Sendable {
    let http: HTTPClient
    let signer: WebhookSigner
    let timeout: Duration
    let publicURL: PublicURL

    /// Below `/v1`.
    static let answerAddress = "/webhooks/answers/"
    /// Bytes of a reply: the longest text, with each character escaped.
    private static let largestReply = 256 * 1024

    /// Returns the answer, or nil if the bot answers later. Throws E16 if the call fails, is too slow, or has another reply.
    ///
    /// - Parameter secret: of the address for a later answer.
    func call(
        _ command: Command, run: CommandRun, text: String, by user: MemberView, answerAt secret: BearerSecret
    ) async throws(Failure) -> CommandAnswer? {
        let now = Timestamp.now
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("type", "command")
                json.field("timestamp", now)
                json.field("workspace_id", command.workspace.description)
                json.object("data") { json in
                    json.field("run_id", run.id.description)
                    json.field("command", run.command)
                    json.field("text", text)
                    json.field("room", run.room.description)
                    if let thread = run.thread { json.field("thread", thread) }
                    json.field("user_id", user.id.description)
                    json.field("nickname", user.nickname)
                    json.field("answerUrl", publicURL.address(of: Self.answerAddress + secret.text))
                    json.field("answerBefore", run.expiresAt)
                }
            }
        }
        var request = signer.request(
            to: command.url, body, id: "command-\(run.id)", by: WebhookSeeds(current: command.seed, old: nil), now: now)
        request.deadline = timeout
        request.maximumReplySize = Self.largestReply
        // A command may have an effect, so a bot is called at most once.
        request.isIdempotent = false
        let reply: HTTPClient.Reply
        do throws(HTTPClient.Failure) {
            reply = try await http.send(request)
        } catch {
            throw Self.failed(Self.reason(for: error.kind))
        }
        let status = Int(reply.status.code)
        // A redirect is not followed: it could lead anywhere.
        guard (200..<300).contains(status) else { throw Self.failed("The bot answered \(status).") }
        if status == 202 { return nil }
        do throws(Failure) {
            return try CommandAnswer(reply: reply.body)
        } catch {
            throw Self.failed("The bot gave no valid answer.")
        }
    }

    private static func failed(_ detail: String) -> Failure { Failure(.botFailed, detail) }

    private static func reason(for kind: HTTPClient.Failure.Kind) -> String {
        switch kind {
        case .forbidden: "The address of the bot is not public, or its port is not allowed."
        case .deadlineExceeded: "The bot did not answer in time."
        case .replyTooLarge, .malformedReply: "The bot gave no valid answer."
        default: "The bot cannot be reached."
        }
    }
}
