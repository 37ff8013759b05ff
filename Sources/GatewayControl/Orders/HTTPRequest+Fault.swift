package import GatewayCore
internal import GatewayFaults
package import GatewayKit

extension HTTPRequest {
  /// Returns the request that orders a fault of the gateway, or of the space whose path `base` is.
  ///
  /// - Parameters:
  ///   - word: The word of the fault, e.g. `drop`.
  ///   - members: The fault's own members.
  ///   - times: The maximum number of effects; nil for no limit.
  ///   - dialect: The wire whose connections are affected. Faults of the provider, the keys and the clocks ignore it.
  ///   - base: The path before `/faults`.
  /// - Throws: The error in the order, as the gateway tells it.
  package static func fault(
    _ word: String, _ members: [JSONMember] = [], times: Int? = nil, among dialect: String? = nil, of base: String = ""
  ) throws(GatewayError) -> HTTPRequest {
    let order = try FaultOrder.make(word, members, times: times, among: dialect)
    return HTTPRequest(
      method: "POST", path: base + "/faults", headers: [HTTPField("content-type", "application/json")],
      body: Array(order.text.utf8))
  }
}
