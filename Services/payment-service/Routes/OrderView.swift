import Contract
import Wire

/// An order as its user sees it.
struct OrderView: View {
    let order: PurchaseOrder

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("merchant_uid", order.number.text)
            json.field("item", order.item.name)
            json.field("amount", String(order.item.price))
        }
    }
}
