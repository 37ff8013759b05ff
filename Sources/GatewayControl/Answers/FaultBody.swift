internal import GatewayCore
internal import GatewayFaults
package import GatewayJSON
internal import GatewayRuntime

/// An ordered fault, the answer of `POST /faults`.
package struct FaultBody: Codable, Sendable {
  /// The number that withdraws it.
  package let number: UInt32
  package let fault: String
  /// How often it has taken effect.
  package let befell: Int
  /// Whether it will have no further effect.
  package let over: Bool
  /// The order as it was written.
  package let order: JSONFragment

  init(_ fault: StandingFault, in book: FaultBook) {
    number = fault.number
    self.fault = fault.word
    befell = fault.count
    over = fault.isOver(at: book.loop.now)
    order = JSONFragment(fault.order.text)
  }
}

/// The ordered faults, the answer of `GET /faults`.
struct FaultList: Codable {
  let faults: [FaultBody]
}

/// The number of faults that were withdrawn, the answer of `DELETE /faults`.
struct WithdrawnFaults: Codable {
  let faults: Int
}

/// All faults that may be ordered, the answer of `GET /faults/known`.
package struct KnownFaults: Codable, Sendable {
  package let faults: [Known]

  /// A fault with an example of an order.
  package struct Known: Codable, Sendable {
    package let fault: String
    package let summary: String
    /// The names of the members that only its orders have.
    package let members: [String]
    package let example: JSONFragment
  }

  init(_ policy: (any FaultPolicy)?) {
    faults = Faults.all.filter { policy?.refusal(of: $0) == nil }.map {
      Known(
        fault: $0.word, summary: $0.summary, members: $0.members,
        example: JSONFragment(policy?.example(of: $0) ?? $0.example))
    }
  }
}
