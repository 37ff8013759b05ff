import GatewayCore
import GatewayJSON
import GatewayKit

// How the gateway fails while the storm lasts: it loses a tenth of the replies, say.

extension StormOptions {
  /// A fault that has been ordered of a gateway, with its number there: the 3 by which the storm takes it back at its
  /// end, for instance.
  struct OrderedFault {
    let number: Int
    let control: StormAddress
  }

  /// What is said of an order that is taken, as far as the storm needs to know it.
  private struct Ordered: Decodable {
    let number: Int
  }

  /// How long an order lasts, where it says so.
  private struct Lasting: Decodable {
    struct When: Decodable {
      let atS: Double?
    }
    let when: When?
    let forS: Double?
  }

  /// When the faults of `--fault` are over that say for how long they last, counted from their order; nil if none does.
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

  /// In seconds: a year.
  private static let faultsLongest = 31_557_600.0

  /// What is said of an order that is refused.
  private struct Refusal: Decodable {
    struct Content: Decodable {
      let message: String
    }
    let error: Content
  }

  /// Has every gateway whose control port is known fail as the flags say. Throws with none of the faults left.
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

  /// Has every gateway fail as an order in JSON says, until it is taken back.
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

  /// What a gateway that refuses an order says of it.
  static func complaint(of answer: HTTPResponse) -> String {
    let refusal = try? JSONCoder().decode(Refusal.self, from: answer.body)
    return refusal?.error.message ?? "the gateway answered \(answer.status)"
  }

  /// Takes the faults back. A gateway that is gone has none.
  func mend(_ faults: [OrderedFault]) async {
    for fault in faults {
      _ = try? await ask(HTTPRequest(method: "DELETE", path: "/faults/\(fault.number)"), of: fault.control)
    }
  }
}
