import LoadClient

/// Somebody with an account.
struct Person: Sendable {
    let email: String
    let accessToken: String

    static let password = "Passw0rd!"
    static let key = "native"

    /// What their app sends for their own profile.
    var profileRequest: [UInt8] {
        LoadConnection.request(
            "GET", "/v1/users/me",
            headers: [
                ("SesacKey", Self.key), ("Authorization", accessToken), ("Accept", "application/json"),
                ("User-Agent", "Maru/1.0 (iPhone; iOS 17.4; Scale/3.00)"),
            ])
    }

    /// What somebody sends who has no account, from an address of their own.
    static func strangersRequest(_ number: Int) -> [UInt8] {
        LoadConnection.request(
            "POST", "/v1/users/login",
            headers: [("SesacKey", key), ("X-Forwarded-For", "10.0.\(number >> 8 & 255).\(number & 255)")],
            body: #"{"email":"stranger\#(number)@load.kr","password":"\#(password)","deviceToken":""}"#)
    }

    var loginRequest: [UInt8] {
        LoadConnection.request(
            "POST", "/v1/users/login", headers: [("SesacKey", Self.key)],
            body: #"{"email":"\#(email)","password":"\#(Self.password)","deviceToken":""}"#)
    }
}
