/// One resource: a method, a path, and who answers; `POST /sessions/{id}/disconnect`, for instance.
package struct HTTPRoute: Sendable {
  /// Answers one request. Stays on the loop that read it, but for what it awaits elsewhere.
  package typealias Handler = nonisolated(nonsending) @Sendable (HTTPRequest, PathParameters) async -> HTTPResponse

  package let method: String
  /// Segments between slashes; `{name}` stands for any one segment.
  package let pattern: String
  package private(set) var handler: Handler
  package let pages: PageAccess
  /// The most bytes of a body with files in it; nil for as many as any body may have.
  package var uploadBytesMax: Int?
  let segments: [Segment]

  /// The part between two slashes of a pattern: in `/users/{id}` the word `users` and the parameter `id`, for instance.
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

  /// The same resource, with all that holds for it, whose requests `handler` answers.
  package func answered(by handler: @escaping Handler) -> HTTPRoute {
    var route = self
    route.handler = handler
    return route
  }
}

/// The web pages that may ask for a resource, and whose scripts may read the answer: those of the port's own origin
/// alone for an operator's orders, for instance.
package enum PageAccess: Sendable {
  /// Those of the origins that the gateway names, by default all: the request says by a token for whom it asks, or what
  /// it gives is meant for everybody.
  case named
  /// Those of the port's own origin, and of origins that the gateway names one by one: whoever asks gets what they want.
  case own
  /// Those that a browser shows: no script of another origin reads them, a login page for instance.
  case shown
}

/// The texts that the `{name}` segments of a route's pattern stood for, percent-decoded: for `/users/{user}` and
/// `/users/a%20b` that is `a b`, for instance.
package struct PathParameters: Sendable {
  let values: [String: String]

  /// The value of a segment that the route's own pattern names.
  package subscript(name: String) -> String {
    guard let value = values[name] else { preconditionFailure("the route's pattern has no {\(name)}") }
    return value
  }
}
