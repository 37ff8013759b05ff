internal import GatewayCore
internal import GatewayJSON

/// A server's answer about a token (RFC 7662 section 2.2).
enum IntrospectionAnswer: Sendable {
  case inactive
  /// The members of the answer.
  case active(JSONView)

  /// Reads an answer. Throws a failure that quotes nothing of it.
  init(_ response: HTTPResponse) throws(OutboundFailure) {
    guard response.status == 200 else { throw OutboundFailure(status: response.status) }
    let root: JSONView
    do throws(JSONError) {
      root = try JSONDocument.parse(response.body).root
    } catch {
      throw OutboundFailure("the answer is no JSON", .malformed)
    }
    guard root.isObject, let active = root["active"]?.bool else {
      throw OutboundFailure("the answer has no member \"active\" that is true or false", .malformed)
    }
    self = active ? .active(root) : .inactive
  }
}
