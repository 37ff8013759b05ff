package import GatewayCore

/// A fault of the gateway's answers over HTTP: `POST /v1/tokens` is answered 3 s late, for instance.
package protocol HTTPFault: Fault {
  var routes: RouteChoice { get }

  /// What becomes of a request.
  var fate: HTTPFate { get }
}

extension HTTPFault {
  package static var isOfAll: Bool { true }
}

/// The fate of a request over HTTP that a fault has met: it is never answered, for instance.
package enum HTTPFate: Hashable, Sendable {
  /// The answer comes so much later, in the time of the network.
  case late(Duration)
  /// It never comes.
  case unanswered
  case answered(FaultAnswer)
}

/// The resources that a fault is about: those below a path, or one, by its method and its pattern as the figures have it,
/// `POST /v1/tokens` for instance.
package struct RouteChoice: Hashable, Sendable {
  private let method: Name?
  private let path: Name

  package static let members = ["route"]
  private static let lengthMax = 1024

  /// Reads the member `route`; without it all resources are meant.
  package init(_ fields: FaultFields) throws(GatewayError) {
    let text = try fields.text("route", bytes: Self.lengthMax) ?? "/"
    let parts = text.split(separator: " ", maxSplits: 1)
    method = parts.count == 2 ? Name(parts[0]) : nil
    path = Name(parts.last ?? "")
    guard path.text.utf8.first == UInt8(ascii: "/") else {
      throw .invalidParameter.detailed("route must be a path, or a method and a path: POST /v1/tokens")
    }
  }

  /// Whether it takes in a request for `path`, which the resource with that method and pattern answers.
  func takesIn(_ path: String, method: String, pattern: String) -> Bool {
    if let own = self.method, own != Name(method) { return false }
    return self.path == Name(pattern) || path.utf8.starts(with: self.path.text.utf8)
  }
}
