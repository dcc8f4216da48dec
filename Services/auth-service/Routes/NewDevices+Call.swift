import Contract
import HTTP
import ServiceKit
import Wire

extension NewDevices {
    /// Remembers the device that a call signed in from.
    func signedIn(_ account: UserID, on call: Call) async {
        await signedIn(
            account, app: call.profile.name, agent: call.request.headers.text(.userAgent) ?? "", address: call.address)
    }
}
