internal import GatewayCore

/// The CORS fields that let a browser's script of another origin send requests (Fetch standard, section 3.2, "CORS
/// protocol").
struct CrossOrigin {
  /// Nil for all.
  let allowed: Set<String>?

  /// Creates the fields that let scripts of these pages use a resource; nil if no page may.
  init?(_ pages: PageAccess, _ configuration: GatewayConfiguration) {
    switch pages {
    case .named: allowed = configuration.allowedOrigins
    case .own: allowed = configuration.allowedOrigins ?? []
    case .shown: return nil
    }
  }

  static func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == "OPTIONS" && request.header("access-control-request-method") != nil
  }

  /// The fields to add to the answer; none for a request that names no origin, or one that is not allowed.
  func fields(for request: HTTPRequest) -> [HTTPField] {
    guard let origin = request.header("origin") else { return [] }
    if let allowed, !allowed.contains(origin) { return [HTTPField("vary", "origin")] }
    var fields = [HTTPField("access-control-allow-origin", allowed == nil ? "*" : origin), HTTPField("vary", "origin")]
    if Self.isPreflight(request) {
      fields += [
        HTTPField("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
        HTTPField(
          "access-control-allow-headers",
          request.header("access-control-request-headers") ?? "authorization, content-type"),
        HTTPField("access-control-max-age", "600"),
      ]
    } else {
      fields.append(
        HTTPField(
          "access-control-expose-headers",
          "date, retry-after, www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset"))
    }
    return fields
  }
}
