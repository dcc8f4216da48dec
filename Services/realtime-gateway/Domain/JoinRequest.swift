import Wire

/// A request to join a namespace, until it is answered or taken back.
final class JoinRequest {
    let target: JoinTarget
    let namespace: String
    let credential: Admission.Credential?

    init(_ target: JoinTarget, _ namespace: String, _ credential: Admission.Credential?) {
        self.target = target
        self.namespace = namespace
        self.credential = credential
    }
}
