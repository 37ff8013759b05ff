/// A finder of who answers which request: an ``HTTPRouter`` of all resources there are, for instance.
package protocol RouteFinding: Sendable {
  /// The route of a method and a path.
  func match(method: String, path: String) -> HTTPRouter.Match
}
