import Contract
import HTTP
import ServiceKit

/// Verification of addresses, and changes of passwords and addresses.
struct CredentialRoutes: Sendable {
    let credentials: Credentials
    /// Codes that an IP address requests for addresses that nobody is signed in for.
    let requests: BucketTable<String>

    func register(in routes: inout PublicRoutes) {
        routes.native(.post, "/v1/users/email/verification", sendCode)
        routes.native(.put, "/v1/users/email/verification", verify)
        routes.nativeOpen(.post, "/v1/users/password/reset", requestReset)
        routes.nativeOpen(.put, "/v1/users/password/reset", reset)
        routes.native(.put, "/v1/users/me/password", changePassword)
        routes.native(.put, "/v1/users/me/email", changeEmail)
    }

    func sendCode(_ call: Call, _ caller: Caller) async throws -> Response {
        let email = try EmailAddress(try await call.fields().text("email"))
        try await credentials.sendCode(to: email, for: caller.user, language: call.mailLanguage)
        return call.done()
    }

    func verify(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let email = try EmailAddress(try fields.text("email"))
        try await credentials.verify(email, of: caller.user, code: try fields.code())
        return call.done()
    }

    /// Replies the same for addresses with and without an account.
    func requestReset(_ call: Call) async throws -> Response {
        let email = try EmailAddress(try await call.fields().text("email"))
        if let wait = requests.take(AddressGroup.of(call.address)) { throw Failure.tooManyCalls(retryAfter: wait) }
        try await credentials.requestReset(email, from: call.address, language: call.mailLanguage)
        return call.done()
    }

    func reset(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let email = try EmailAddress(try fields.text("email"))
        let password = try Password.uncommon(try fields.text("password"))
        let code = try fields.code()
        if let wait = requests.take(AddressGroup.of(call.address)) { throw Failure.tooManyCalls(retryAfter: wait) }
        try await credentials.reset(email, code: code, password: password, from: call.address)
        return call.done()
    }

    func changePassword(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let old = try fields.text("password", upTo: Password.longestInBytes)
        let new = try Password.uncommon(try fields.text("newPassword"))
        try await credentials.changePassword(of: caller, from: call.address, password: old, to: new)
        return call.done()
    }

    func changeEmail(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let password = try fields.text("password", upTo: Password.longestInBytes)
        let email = try EmailAddress(try fields.text("email"))
        let account = try await credentials.changeEmail(
            of: caller, from: call.address, password: password, to: email, code: try fields.code())
        return call.reply(account.view())
    }
}

extension Call {
    /// The language that the client prefers for mails; nil if it names none of ours.
    var mailLanguage: MailLanguage? { MailLanguage(acceptLanguage: request.headers.text("Accept-Language")) }
}

extension Fields {
    /// A code from a mail. People copy it with spaces around it.
    fileprivate func code() throws(Failure) -> String {
        let code = try text("code", upTo: 64).filter { !$0.isWhitespace }
        guard Codes.length.contains(code.utf8.count) else { throw Codes.refused }
        return code
    }
}
