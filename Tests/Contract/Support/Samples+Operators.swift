import Contract
import Wire

extension Samples {
    static let operatorAct = OperatorAct(
        call: "4bf92f35", at: Timestamp(milliseconds: 9), operatorName: "anna", address: "10.0.0.1",
        service: "auth-service", act: "users.disable", subject: "users/5")
}
