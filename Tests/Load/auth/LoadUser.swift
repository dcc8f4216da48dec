import LoadClient

/// A user of the load test.
struct LoadUser: Sendable {
    let email: String
    let accessToken: String

    static let password = "Saessak-2024!"
    static let key = "native"

    /// The request of the user's own profile, as an app sends it.
    var profileRequest: [UInt8] {
        LoadConnection.request(
            "GET", "/v1/users/me",
            headers: [
                ("SesacKey", Self.key), ("Authorization", accessToken), ("Accept", "application/json"),
                ("User-Agent", "Maru/1.0 (iPhone; iOS 17.4; Scale/3.00)"),
            ])
    }

    /// A login of an unknown user from an address of its own.
    static func unknownUserRequest(_ number: Int) -> [UInt8] {
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
