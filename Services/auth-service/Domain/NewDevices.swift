import Contract
import Crypto
import Postgres
import ServiceKit
import Telemetry
import Wire

/// Tells owners of sign-ins on devices that their accounts were not used on before.
///
/// Apps send no id of a device, so a device is the app, its version as it names itself, and its network.
struct NewDevices: Sendable {
    let store: KnownDeviceStore
    let mails: MailOutbox
    let log: Log
    private let key: HMACSHA256

    /// How long a device that is not used stays known.
    static let retention = Duration.seconds(400 * 86_400)
    /// Mails about new devices in an hour. Anybody can join with the address of somebody else, and sign in as ever new devices.
    private static let mostMails = 10
    private static let window = Duration.seconds(3600)

    /// - Parameter credential: the secret of the services; digests without it name no network.
    init(store: KnownDeviceStore, mails: MailOutbox, credential: String, log: Log) {
        self.store = store
        self.mails = mails
        self.log = log
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("known devices 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// Remembers the device of a sign-in, and sends a mail if the account was used on other devices only. A failure is
    /// logged and does not undo the sign-in.
    func signedIn(_ account: UserID, app: String, agent: String, address: String) async {
        let text = "\(app)\n\(agent.prefix(256))\n\(AddressGroup.of(address))"
        do {
            let digest = key.code(for: Array(text.utf8).span)
            // If the mail cannot be ordered, the device stays unknown, and the next sign-in orders it.
            let isNew = try await store.database.transaction { tx in
                let now = Timestamp.now
                let isNew = try await store.see(
                    digest, of: account, at: now, among: Self.mostMails, since: now - Self.window, in: tx)
                if isNew { try await mails.notify(account, .newDevice, detail: app, in: tx) }
                return isNew
            }
            if isNew { mails.wake() }
        } catch {
            log.warning("the device of a sign-in cannot be saved", ["cause": .cause(error)])
        }
    }
}
