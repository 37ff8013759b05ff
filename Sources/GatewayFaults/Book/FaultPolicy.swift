package import GatewayCore

/// The choice of the faults that a book takes. A proxy cannot play what only a gateway can.
package protocol FaultPolicy: Sendable {
  /// Returns why no order of this fault is taken; nil if some are.
  func refusal(of fault: any Fault.Type) -> GatewayError?

  /// Returns why this order is not taken; nil if it is.
  func refusal(of order: FaultOrder) -> GatewayError?

  /// Returns an example of an order that is taken, as JSON.
  func example(of fault: any Fault.Type) -> String
}
