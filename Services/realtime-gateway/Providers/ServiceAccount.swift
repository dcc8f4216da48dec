import Crypto
import Wire

/// Our identity at Google, from a key file of its console.
struct ServiceAccount: Sendable {
    let project: String
    let email: String
    let key: SigningKey
    let tokenURL: String

    /// Reads the JSON text of a key file; nil for any other text.
    init?(_ text: String) {
        guard let json = try? JSONValue(parsing: text), let project = json["project_id"]?.string,
            let email = json["client_email"]?.string, let pem = json["private_key"]?.string,
            let key = try? SigningKey(pem: pem, id: json["private_key_id"]?.string)
        else { return nil }
        self.project = project
        self.email = email
        self.key = key
        tokenURL = json["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
    }
}
