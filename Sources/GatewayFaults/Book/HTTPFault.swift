internal import GatewayCore

/// A fault of the gateway's answers over HTTP.
protocol HTTPFault: Fault {
  var routes: RouteChoice { get }

  /// The fate of a request.
  var fate: HTTPFate { get }

  /// Whether a proxy asks the gateway first, and the fault only affects its answer.
  var asksUpstream: Bool { get }
}

/// The moment at which a fault of a proxy's answers takes effect: before the gateway is asked, or `"after": "upstream"`.
enum AnswerMoment: String, CaseIterable {
  case upstream

  static let members = ["after"]

  /// Returns whether the order says that the gateway is asked first.
  static func asksUpstream(_ fields: FaultFields) throws(GatewayError) -> Bool {
    try fields.word("after", AnswerMoment.self) != nil
  }
}

extension HTTPFault {
  static var isOfAll: Bool { true }
}

/// The fate of an HTTP request that a fault affects.
enum HTTPFate: Hashable, Sendable {
  /// The answer comes later by this duration, in the time of the network.
  case late(Duration)
  /// The answer never comes.
  case unanswered
  case answered(FaultAnswer)
}

/// The routes that a fault affects: all below a path, or one by its method and pattern as in the metrics, e.g. `POST
/// /v1/tokens`.
struct RouteChoice: Hashable, Sendable {
  private let method: Name?
  private let path: Name

  static let members = ["route"]
  private static let lengthMax = 1024

  /// Reads the member `route`; without it all routes are affected.
  init(_ fields: FaultFields) throws(GatewayError) {
    let text = try fields.text("route", bytes: Self.lengthMax) ?? "/"
    let parts = text.split(separator: " ", maxSplits: 1)
    method = parts.count == 2 ? Name(parts[0]) : nil
    path = Name(parts.last ?? "")
    guard path.text.utf8.first == UInt8(ascii: "/") else {
      throw .invalidParameter.detailed("route must be a path, or a method and a path: POST /v1/tokens")
    }
  }

  /// Returns whether it includes a request for `path`, which the route with that method and pattern answers.
  func takesIn(_ path: String, method: String, pattern: String) -> Bool {
    if let own = self.method, own != Name(method) { return false }
    return self.path == Name(pattern) || path.utf8.starts(with: self.path.text.utf8)
  }
}
