internal import GatewayCore
internal import GatewayJSON

/// The credentials that a browser's client offers as a subprotocol: a JSON object, percent-encoded, with `token`, or
/// with `auth` for a session key, or empty for a user by name alone.
struct SendbirdSubprotocol: Hashable {
  let token: String?
  let key: String?

  /// Nil for a subprotocol that is something else. JSON that cannot be read is a token that is no good, as any other
  /// text that is none.
  init?(_ offered: String) {
    guard let text = PercentEncoding.decode(offered), text.hasPrefix("{") else { return nil }
    guard let object = try? JSONDocument.parse(text).root, object.isObject else {
      token = text
      key = nil
      return
    }
    token = SendbirdWire.meant(object["token"]?.string)
    key = SendbirdWire.meant(object["auth"]?.string)
  }
}
