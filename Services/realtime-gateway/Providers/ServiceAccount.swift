import Crypto
import Wire

/// The identity under which we call Google, as its console hands it out.
struct ServiceAccount: Sendable {
    let project: String
    let email: String
    let key: SigningKey
    let tokenURL: String

    /// Reads the JSON text of a key file; nil where it is none.
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
