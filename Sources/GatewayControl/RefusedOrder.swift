package import GatewayCore

/// An order that a gateway accepts and a proxy refuses, with what to use instead.
package struct RefusedOrder: Sendable {
  let method: String
  let pattern: String
  let error: GatewayError

  package init(_ method: String, _ pattern: String, _ error: GatewayError) {
    (self.method, self.pattern, self.error) = (method, pattern, error)
  }

  var route: HTTPRoute {
    HTTPRoute(method, pattern) { [error] _, _ in ControlAnswer.error(error) }
  }
}
