import Contract
import Crypto
import Postgres
import ServiceKit
import Telemetry
import Wire

/// Tells owners of sign-ins on devices that their accounts were not used on before, and the audit logs of all sign-ins.
///
/// Apps send no id of a device, so a device is the app, its version as it names itself, and its network.
struct NewDevices: Sendable {
    let store: KnownDeviceStore
    let mails: MailOutbox
    let facts: AccountFactPublisher
    let log: Log
    private let key: HMACSHA256

    /// How long a device that is not used stays known.
    static let memory = Duration.seconds(400 * 86_400)

    /// - Parameter credential: the secret of the services; digests without it name no network.
    init(store: KnownDeviceStore, mails: MailOutbox, facts: AccountFactPublisher, credential: String, log: Log) {
        self.store = store
        self.mails = mails
        self.facts = facts
        self.log = log
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("known devices 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// Remembers the device of a sign-in, and sends a mail if the account was used on other devices only. A failure is
    /// logged and does not undo the sign-in.
    func signedIn(_ account: UserID, app: String, agent: String, address: String) async {
        let text = "\(app)\n\(agent.prefix(256))\n\(AddressGroup.of(address))"
        do {
            try await facts.signedIn(AccountAct(user: account, at: .now, address: address, app: app))
            let digest = key.code(for: Array(text.utf8).span)
            // A device counts as known only with its mail: if the mail cannot be ordered, the next sign-in orders it.
            let isNew = try await store.database.transaction { tx in
                let isNew = try await store.see(digest, of: account, at: .now, in: tx)
                if isNew { try await mails.notify(account, .newDevice, detail: app, in: tx) }
                return isNew
            }
            if isNew { mails.wake() }
        } catch {
            log.warning("the device of a sign-in cannot be saved", ["cause": .cause(error)])
        }
    }
}
