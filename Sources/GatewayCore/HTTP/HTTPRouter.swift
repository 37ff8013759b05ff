/// A path that two would answer: a wire described in a file that asks `POST /v1/tokens` ahead of its upgrade, for
/// instance, which is the gateway's own.
package struct RouteClash: Error, Hashable, CustomStringConvertible {
  package let method: String
  package let pattern: String

  package init(method: String, pattern: String) {
    self.method = method
    self.pattern = pattern
  }

  package var description: String {
    "\(method) \(pattern) has an answer of the gateway's already; another path is free"
  }
}

/// The way from a request to who answers it: a tree of the segments of all patterns, so that a look costs what the path
/// is long, however many routes there are. Of two patterns that fit, that which spells out the earlier segment is
/// meant: `/sessions/expire` is no session of that id. The answer to `PUT` where there is only `GET` is 405, for
/// instance, and not 404.
package struct HTTPRouter: RouteFinding {
  package let routes: [HTTPRoute]

  /// A place in the tree: what follows, and what ends here.
  private struct Node {
    var literals: [Name: Int] = [:]
    /// The place behind a segment of any text.
    var parameter: Int?
    var routes: [HTTPRoute] = []
  }

  private var nodes = [Node()]

  /// No two of them may answer the same: that is a fault of ours, found here and not by who asks.
  package init(_ routes: [HTTPRoute]) {
    self.routes = routes
    for route in routes {
      let node = place(of: route)
      if let other = nodes[node].routes.first(where: { $0.method == route.method }) {
        preconditionFailure("two routes for \(route.method): \(other.pattern) and \(route.pattern)")
      }
      nodes[node].routes.append(route)
    }
  }

  /// Two of these that answer the same, where somebody names routes who does not know the others; nil if there are none.
  package static func clash(in routes: [HTTPRoute]) -> RouteClash? {
    struct Place: Hashable {
      let method: String
      /// Nil for a segment of any text.
      let segments: [Name?]
    }
    var known: Set<Place> = []
    for route in routes {
      let segments = route.segments.map { segment -> Name? in
        if case .literal(let name) = segment { name } else { nil }
      }
      guard known.insert(Place(method: route.method, segments: segments)).inserted else {
        return RouteClash(method: route.method, pattern: route.pattern)
      }
    }
    return nil
  }

  private mutating func place(of route: HTTPRoute) -> Int {
    route.segments.reduce(0) { node, segment in
      let known =
        switch segment {
        case .literal(let text): nodes[node].literals[text]
        case .parameter: nodes[node].parameter
        }
      if let known { return known }
      nodes.append(Node())
      switch segment {
      case .literal(let text): nodes[node].literals[text] = nodes.count - 1
      case .parameter: nodes[node].parameter = nodes.count - 1
      }
      return nodes.count - 1
    }
  }

  /// The answer to who serves a path: nobody by this method, but somebody by `GET`, for instance.
  package enum Match: Sendable {
    case found(HTTPRoute, PathParameters)
    /// The path exists, with these methods.
    case otherMethods([String])
    case none
  }

  /// The route of a method and a path.
  package func match(method: String, path: String) -> Match {
    var search = Search(method: method, segments: path.split(separator: "/").map { Name(String($0)) })
    visit(0, &search)
    if let route = search.found, let parameters = PathParameters(of: route, in: search.segments) {
      return .found(route, parameters)
    }
    return search.methods.isEmpty ? .none : .otherMethods(search.methods)
  }

  /// What is looked for, and what has come of it.
  private struct Search {
    let method: String
    let segments: [Name]
    var depth = 0
    var found: HTTPRoute?
    /// Those of the first place that fits.
    var methods: [String] = []
  }

  /// Looks at a place and what follows it, until the route is found.
  private func visit(_ node: Int, _ search: inout Search) {
    guard search.depth < search.segments.count else {
      search.found = nodes[node].routes.first { $0.method == search.method }
      if search.methods.isEmpty { search.methods = nodes[node].routes.map(\.method) }
      return
    }
    let segment = search.segments[search.depth]
    search.depth += 1
    defer { search.depth -= 1 }
    if let next = nodes[node].literals[segment] { visit(next, &search) }
    guard search.found == nil, let next = nodes[node].parameter, PercentEncoding.decode(segment.text) != nil
    else { return }
    visit(next, &search)
  }
}

extension PathParameters {
  /// The values of the route's parameters; nil if one is wrongly encoded.
  fileprivate init?(of route: HTTPRoute, in segments: [Name]) {
    var values: [String: String] = [:]
    for (segment, wanted) in zip(segments, route.segments) {
      guard case .parameter(let name) = wanted else { continue }
      guard let value = PercentEncoding.decode(segment.text) else { return nil }
      values[name] = value
    }
    self.values = values
  }
}
