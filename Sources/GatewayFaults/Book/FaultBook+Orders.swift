internal import GatewayCore

extension FaultBook {
  /// Throws the reason why this gateway cannot have the fault.
  func check(_ order: FaultOrder) throws(GatewayError) {
    if let refusal = policy?.refusal(of: order) { throw refusal }
    if let fault = order.fault as? any OutboundFault,
      let lack = fault.places.lack(of: places(), type(of: fault).word)
    {
      throw lack
    }
    if let lack = (order.fault as? any SignalFault)?.lack(in: signals, when: order.moment) { throw lack }
    guard policy != nil || order.side == .client else {
      throw .invalidParameter.detailed("side: upstream is for postern proxy; nothing is behind this gateway")
    }
    guard policy != nil || !(order.fault is any LifeFault),
      policy != nil || (order.fault as? any HTTPFault)?.asksUpstream != true
    else {
      throw .invalidParameter.detailed(
        "shorten and after: upstream are for postern proxy; nothing is behind this gateway")
    }
  }
}
