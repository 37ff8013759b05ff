internal import GatewayCore
internal import GatewayTokens

/// The symmetric key of Standard Webhooks, written `whsec_` and 16 to 64 bytes in base64.
package struct HookSecret: Sendable {
  private static let prefix = "whsec_"
  private let key: [UInt8]

  /// Reads a secret; nil if it is none.
  package init?(_ text: String) {
    guard text.utf8.starts(with: Self.prefix.utf8),
      let key = Base64.decode(String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count)))),
      (16...64).contains(key.count)
    else { return nil }
    self.key = key
  }

  /// Returns the value of `webhook-signature` for a message.
  ///
  /// - Parameters:
  ///   - id: The value of `webhook-id`.
  ///   - timestamp: The value of `webhook-timestamp`, in seconds since 1970.
  ///   - body: The bytes of the request's body.
  func signature(_ id: String, _ timestamp: String, _ body: [UInt8]) -> String {
    "v1," + Base64.encode(HMACSHA256.code(key: key, Array("\(id).\(timestamp).".utf8) + body))
  }
}
