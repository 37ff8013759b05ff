/// The methods and paths that two routes would answer, e.g. the gateway's own `POST /v1/tokens` and the same path in a
/// wire's description.
package struct RouteClash: Error, Hashable, CustomStringConvertible {
  /// The routes that came later, as method and pattern.
  package let routes: [String]

  /// The maximum number of routes in the text; further ones are counted.
  private static let namedMax = 8

  package init(_ routes: [String]) {
    self.routes = routes
  }

  package var description: String {
    guard routes.count > 1 else {
      return "\(routes.joined()) has an answer of the gateway's already; another path is free"
    }
    let rest = routes.count - Self.namedMax
    return routes.prefix(Self.namedMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
      + " have answers of the gateway's already; other paths are free"
  }
}

/// A router from requests to routes: a tree of the segments of all patterns. The cost of a lookup depends on the length
/// of the path, not on the number of routes.
///
/// If two patterns match, the one with the earlier literal segment wins: `/sessions/expire` is no session id. `PUT` on
/// a path that has only `GET` is answered with 405, not 404.
package struct HTTPRouter: RouteFinding {
  package let routes: [HTTPRoute]

  /// A node of the tree: the segments that follow, and the routes that end here.
  private struct Node {
    var literals: [Name: Int] = [:]
    /// The node after a segment of any text.
    var parameter: Int?
    var routes: [HTTPRoute] = []
  }

  private var nodes = [Node()]

  /// Creates a router. Traps if two routes have the same method and path, and names all of these: that is a programming
  /// error.
  package init(_ routes: [HTTPRoute]) {
    self.routes = routes
    var clashes: [String] = []
    for route in routes {
      let node = place(of: route)
      if let other = nodes[node].routes.first(where: { $0.method == route.method }) {
        clashes.append("two routes for \(route.method): \(other.pattern) and \(route.pattern)")
      }
      nodes[node].routes.append(route)
    }
    precondition(clashes.isEmpty, clashes.joined(separator: "; "))
  }

  /// Returns all methods and paths that two of the routes share, each once, for routes from different sources; nil if there
  /// is none.
  package static func clash(in routes: [HTTPRoute]) -> RouteClash? {
    struct Place: Hashable {
      let method: String
      /// The literals of the segments; nil for a segment of any text.
      let segments: [Name?]
    }
    var known: Set<Place> = []
    var reported: Set<Place> = []
    var clashes: [String] = []
    for route in routes {
      let segments = route.segments.map { segment -> Name? in
        if case .literal(let name) = segment { name } else { nil }
      }
      let place = Place(method: route.method, segments: segments)
      guard !known.insert(place).inserted, reported.insert(place).inserted else { continue }
      clashes.append("\(route.method) \(route.pattern)")
    }
    return clashes.isEmpty ? nil : RouteClash(clashes)
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

  /// The result of a lookup.
  package enum Match: Sendable {
    case found(HTTPRoute, PathParameters)
    /// The path exists, with these methods.
    case otherMethods([String])
    case none
  }

  /// Returns the route of a method and a path.
  package func match(method: String, path: String) -> Match {
    var search = Search(method: method, segments: path.split(separator: "/").map { Name(String($0)) })
    visit(0, &search)
    if let route = search.found, let parameters = PathParameters(of: route, in: search.segments) {
      return .found(route, parameters)
    }
    return search.methods.isEmpty ? .none : .otherMethods(search.methods)
  }

  /// The state of a lookup.
  private struct Search {
    let method: String
    let segments: [Name]
    var depth = 0
    var found: HTTPRoute?
    /// The methods of the first node that matches the path.
    var methods: [String] = []
  }

  /// Visits a node and its successors until the route is found.
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
  /// Creates the values of the route's parameters; nil if one is malformed.
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
