package import GatewayCore
package import GatewayKit

// Orders that a client makes. They are read as the gateway reads them, so both sides have one type.

extension FaultOrder {
  /// Makes an order to send; its JSON is its ``text``. `dialect` is the wire whose connections are affected; faults of the
  /// provider, the keys and the clocks ignore it.
  package static func make(
    _ word: String, _ members: [JSONMember] = [], times: Int? = nil, among dialect: String? = nil
  ) throws(GatewayError) -> FaultOrder {
    var written = [JSONMember("fault", word)] + members
    if let times { written.append(JSONMember("times", json: String(times))) }
    let order = try read(json: written.object())
    guard let dialect, order.isOfConnections else { return order }
    let who: [UInt8] = [JSONMember("dialect", dialect)].object()
    written.append(JSONMember("who", json: String(decoding: who, as: UTF8.self)))
    return try read(json: written.object())
  }

  /// Whether it affects connections, and not only the provider, the keys or the clocks.
  private var isOfConnections: Bool {
    switch fault {
    case is any ProviderDelay, is any ProviderAnswer, is any IssuerClockFault, is RotateKeys, is WithdrawKeys: false
    default: !type(of: fault).isOfAll
    }
  }
}
