package import GatewayCore

/// A fault of the questions to the application's backend, e.g. a backend that answers no refresh.
package protocol OutboundFault: Fault {
  var hooks: HookChoice { get }
  var harm: OutboundHarm { get }
}

/// What a fault does to a question.
package enum OutboundHarm: Hashable, Sendable {
  /// It is asked later by this duration, in the time of the network.
  case late(Duration)
  case unanswered
  case answered(HTTPResponse)

  /// An answer of status 200.
  static func said(_ body: [UInt8]) -> OutboundHarm {
    .answered(HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: body))
  }
}

/// The questions that a fault affects: those of one hook, or all.
package struct HookChoice: Hashable, Sendable {
  enum Hook: String, CaseIterable {
    case connect, refresh, commands
  }

  static let members = ["of"]

  private let hook: Hook?

  init(_ fields: FaultFields) throws(GatewayError) { hook = try fields.word("of") }

  /// Returns whether it includes questions to the endpoint with that name in metrics.
  func takesIn(_ endpoint: String) -> Bool { hook.map { Name("hook_\($0.rawValue)") == Name(endpoint) } ?? true }

  /// Returns why the fault can have no effect in a gateway that asks these endpoints; nil if it can.
  func lack(of endpoints: [String], _ word: String) -> GatewayError? {
    guard !endpoints.contains(where: { takesIn($0) }) else { return nil }
    let flags = hook.map { "--hook-\($0.rawValue)" } ?? "--hook-connect, --hook-refresh or --hook-commands"
    return .invalidParameter.detailed(
      "\(word) changes answers of the application's backend, and this gateway asks none; start postern serve with \(flags)"
    )
  }
}
