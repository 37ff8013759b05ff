package import GatewayCore
internal import GatewayFaults

// Failing on purpose, as an order in JSON says.

extension Space {
  /// Refuses an order that no gateway takes.
  package static func check(fault json: [UInt8]) throws(GatewayError) {
    _ = try FaultOrder.read(json: json)
  }

  /// Has the gateway fail so from here on. Returns the number of the fault. Only on the first loop.
  package func order(fault json: [UInt8]) throws(GatewayError) -> UInt32 {
    guard let faults else { throw .notFound.detailed("the gateway is to have no faults") }
    return try faults.add(try FaultOrder.read(json: json)).number
  }

  /// Ends a fault, if it is still active. Only on the first loop.
  package func mend(fault number: UInt32) {
    _ = faults?.remove(number)
  }
}
