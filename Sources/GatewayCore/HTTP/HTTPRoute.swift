/// A resource of the HTTP API: a method, a path pattern and a handler, e.g. `POST /sessions/{id}/disconnect`.
package struct HTTPRoute: Sendable {
  /// A function that answers one request. It runs on the loop that read the request, except where it awaits work
  /// elsewhere.
  package typealias Handler = nonisolated(nonsending) @Sendable (HTTPRequest, PathParameters) async -> HTTPResponse

  package let method: String
  /// The segments between slashes; `{name}` matches any one segment.
  package let pattern: String
  package private(set) var handler: Handler
  package let pages: PageAccess
  /// The size limit in bytes of a body that contains files; nil for the limit of every body.
  package var uploadBytesMax: Int?
  /// Whether its answers are tokens for clients.
  package private(set) var givesTokens = false
  let segments: [Segment]

  /// A segment of a pattern between two slashes: a literal or a parameter, e.g. both in `/users/{id}`.
  enum Segment: Hashable, Sendable {
    case literal(Name)
    case parameter(String)
  }

  package init(_ method: String, _ pattern: String, pages: PageAccess = .named, _ handler: @escaping Handler) {
    self.method = method
    self.pattern = pattern
    self.pages = pages
    self.handler = handler
    segments = pattern.utf8.split(separator: UInt8(ascii: "/")).map { segment in
      segment.first == UInt8(ascii: "{") && segment.last == UInt8(ascii: "}")
        ? .parameter(String(segment.dropFirst().dropLast())!) : .literal(Name(Substring(segment)))
    }
  }

  /// The same resource, known for its answers, which are tokens for clients.
  package var givingTokens: HTTPRoute {
    var route = self
    route.givesTokens = true
    return route
  }

  /// Returns the same resource with another handler.
  package func answered(by handler: @escaping Handler) -> HTTPRoute {
    var route = self
    route.handler = handler
    return route
  }
}

/// The web pages that may request a resource and whose scripts may read the answer.
package enum PageAccess: Sendable {
  /// Pages of the origins that the gateway allows, by default all. The request carries a token that identifies its
  /// user, or the answer is public.
  case named
  /// Pages of the port's own origin, and of origins that the gateway allows individually. The resource requires no
  /// token.
  case own
  /// Pages that the browser displays, e.g. a login page; no script of another origin can read them.
  case shown
}

/// The percent-decoded values of the `{name}` segments of a route's pattern, e.g. `a b` in `/users/a%20b` for
/// `/users/{user}`.
package struct PathParameters: Sendable {
  let values: [String: String]

  /// The parameters of a pattern without any.
  package static let none = PathParameters(values: [:])

  /// Returns the value of a segment that the route's own pattern names.
  package subscript(name: String) -> String {
    guard let value = values[name] else { preconditionFailure("the route's pattern has no {\(name)}") }
    return value
  }
}
