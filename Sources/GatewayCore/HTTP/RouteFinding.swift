/// A lookup of the route that answers a request, e.g. an ``HTTPRouter`` of all resources.
package protocol RouteFinding: Sendable {
  /// Returns the route of a method and a path.
  func match(method: String, path: String) -> HTTPRouter.Match
}
