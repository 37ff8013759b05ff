internal import GatewayCore

/// The routes of requests for the journal, e.g. `GET /v1/users/{id}`.
///
/// Segments that look like an id or a secret are left out, and so is the query.
struct RouteNames {
  private var known: Set<Name> = []

  private static let countMax = 256
  private static let methodMax = 16
  private static let segmentsMax = 16
  /// A longer segment counts as an id.
  private static let segmentMax = 24
  private static let other = "other"

  /// Returns the route of a request; `other` for what is long, and when there are 256 routes.
  mutating func route(of request: HTTPRequest) -> String {
    let segments = request.path.utf8.split(separator: UInt8(ascii: "/"))
    guard request.method.utf8.count <= Self.methodMax, segments.count <= Self.segmentsMax else { return Self.other }
    var route = request.method + " "
    for segment in segments { route += "/" + (Self.isWord(segment) ? String(Substring(segment)) : "{id}") }
    if segments.isEmpty { route += "/" }
    if known.contains(Name(route)) { return route }
    guard known.count < Self.countMax else { return Self.other }
    known.insert(Name(route))
    return route
  }

  /// Returns whether a segment is a name and no id: a short word without digits, or a version as `v1`.
  private static func isWord(_ segment: Substring.UTF8View) -> Bool {
    if segment.first == UInt8(ascii: "v"), (2...3).contains(segment.count), segment.dropFirst().allSatisfy(isDigit) {
      return true
    }
    return segment.count <= segmentMax
      && segment.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte) || "-._".utf8.contains(byte)
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
