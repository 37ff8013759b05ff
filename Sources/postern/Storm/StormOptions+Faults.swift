import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess

// The faults of the gateway during a storm.

extension StormOptions {
  /// A fault that a gateway has accepted, with its number there.
  struct OrderedFault {
    let number: Int
    let control: StormAddress
  }

  /// The part of the answer to an accepted order that the storm uses.
  private struct Ordered: Decodable {
    let number: Int
  }

  /// The duration of an order, if it has one.
  private struct Lasting: Decodable {
    struct When: Decodable {
      let atS: Double?
    }
    let when: When?
    let forS: Double?
  }

  /// Returns when the faults of `--fault` end, counted from their order; nil if none has a duration.
  static func end(ofFaults orders: [String]) -> Duration? {
    let coder = JSONCoder(names: .snakeCase)
    return orders.compactMap { order -> Duration? in
      guard let lasting = try? coder.decode(Lasting.self, from: Array(order.utf8)), let length = lasting.forS else {
        return nil
      }
      let end = (lasting.when?.atS ?? 0) + length
      return (0...Self.faultsLongest).contains(end) ? .nanoseconds(Int64(end * 1e9)) : nil
    }.max()
  }

  /// A year, in seconds.
  private static let faultsLongest = 31_557_600.0

  /// Orders the faults of the flags at every gateway with a known control port. If it throws, all faults are withdrawn.
  mutating func orderFaults() async throws -> [OrderedFault] {
    var ordered: [OrderedFault] = []
    for order in faults {
      do {
        try await self.order(fault: order, into: &ordered)
      } catch {
        await mend(ordered)
        throw UsageError("--fault: \(error)")
      }
      faultsEnd = Self.end(ofFaults: faults).map { SystemTime.now + $0 }
      caveats.append("\(controls.count == 1 ? "the gateway was" : "the gateways were") ordered to fail: \(order)")
    }
    return ordered
  }

  /// Orders a fault, given in JSON, at every gateway, until it is withdrawn.
  func order(fault: String, into ordered: inout [OrderedFault]) async throws {
    for control in controls {
      let request = HTTPRequest(
        method: "POST", path: "/faults", headers: [HTTPField("content-type", "application/json")],
        body: Array(fault.utf8))
      let answer = try await ask(request, of: control)
      guard answer.status == 201, let made = try? JSONCoder().decode(Ordered.self, from: answer.body) else {
        throw UsageError(Self.complaint(of: answer))
      }
      ordered.append(OrderedFault(number: made.number, control: control))
    }
  }

  /// Returns the message of a gateway that refuses an order.
  static func complaint(of answer: HTTPResponse) -> String {
    let refusal = try? JSONCoder().decode(ControlProblem.self, from: answer.body)
    return refusal?.error.message ?? "the gateway answered \(answer.status)"
  }

  /// Withdraws the faults. Errors are ignored, since a gateway that is gone has none.
  func mend(_ faults: [OrderedFault]) async {
    for fault in faults {
      _ = try? await ask(HTTPRequest(method: "DELETE", path: "/faults/\(fault.number)"), of: fault.control)
    }
  }
}
