/// One resource: a method, a path, and who answers.
package struct HTTPRoute: Sendable {
  /// Answers one request. Stays on the loop that read it, but for what it awaits elsewhere.
  package typealias Handler = nonisolated(nonsending) @Sendable (HTTPRequest, PathParameters) async -> HTTPResponse

  package let method: String
  /// Segments between slashes; `{name}` stands for any one segment.
  package let pattern: String
  package let handler: Handler
  package let pages: PageAccess
  let segments: [Substring]

  package init(_ method: String, _ pattern: String, pages: PageAccess = .named, _ handler: @escaping Handler) {
    self.method = method
    self.pattern = pattern
    self.pages = pages
    self.handler = handler
    segments = pattern.split(separator: "/")
  }
}

/// The web pages that may ask for a resource, and whose scripts may read the answer.
package enum PageAccess: Sendable {
  /// Those of the origins that the gateway names, by default all: the request says by a token for whom it asks, or what
  /// it gives is meant for everybody.
  case named
  /// Those of the port's own origin, and of origins that the gateway names one by one: whoever asks gets what they want.
  case own
  /// Those that a browser shows: no script of another origin reads them, a login page for instance.
  case shown
}

/// What the `{name}` segments of a route's pattern stood for, percent-decoded.
package struct PathParameters: Sendable {
  let values: [String: String]

  /// The value of a segment that the route's own pattern names.
  package subscript(name: String) -> String {
    guard let value = values[name] else { preconditionFailure("the route's pattern has no {\(name)}") }
    return value
  }
}

/// Finds who answers a request.
package struct HTTPRouter: Sendable {
  package let routes: [HTTPRoute]

  package init(_ routes: [HTTPRoute]) {
    self.routes = routes
  }

  package enum Match: Sendable {
    case found(HTTPRoute, PathParameters)
    /// The path exists, with these methods.
    case otherMethods([String])
    case none
  }

  /// The route of a method and a path.
  package func match(method: String, path: String) -> Match {
    let segments = path.split(separator: "/")
    var methods: [String] = []
    var fewest = Int.max
    for route in routes {
      guard let values = Self.match(segments, to: route.segments) else { continue }
      if route.method == method { return .found(route, PathParameters(values: values)) }
      // The resource is what the most literal pattern means: /sessions/expire is no session of that id.
      if values.count < fewest { methods = [] }
      fewest = min(fewest, values.count)
      if values.count == fewest { methods.append(route.method) }
    }
    return methods.isEmpty ? .none : .otherMethods(methods)
  }

  private static func match(_ segments: [Substring], to pattern: [Substring]) -> [String: String]? {
    guard segments.count == pattern.count else { return nil }
    var values: [String: String] = [:]
    for (segment, wanted) in zip(segments, pattern) {
      if wanted.first == "{" && wanted.last == "}" {
        guard let decoded = PercentEncoding.decode(segment) else { return nil }
        values[String(wanted.dropFirst().dropLast())] = decoded
      } else if segment != wanted {
        return nil
      }
    }
    return values
  }
}
