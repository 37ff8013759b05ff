internal import GatewayCore
internal import GatewayJSON

/// The credentials in a browser client's subprotocol, a percent-encoded JSON object.
///
/// It contains `token`, or `auth` for a session key, or nothing for a user by name alone.
struct SendbirdSubprotocol: Hashable {
  let token: String?
  let key: String?

  /// Fails for another subprotocol. Unreadable JSON counts as an invalid token, as any other text would.
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
