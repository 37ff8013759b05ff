internal import GatewayCore
internal import GatewayKit

/// A webhook that a company has registered.
struct StreemWebhook: Hashable, StoreValue {
  /// A key by which a company verifies webhook messages, with its sid and a label.
  struct SigningKey: Hashable, Codable, Sendable {
    /// `whk_` and 22 letters and digits.
    var sid: String
    var label: String
    /// The shared secret, which only the answer to its creation shows; nil in rows of earlier versions.
    var secret: String?
  }

  /// A header field that every message has.
  struct Header: Hashable, Codable, Sendable {
    var name: String
    var value: String
    /// Whether the signature covers it.
    var isSigned: Bool
  }

  /// `wh_` and 22 letters and digits.
  var sid: Name
  /// The company's code.
  var company: Name
  var label: String
  var url: String
  var method: String
  var timeoutMilliseconds: Int
  var attemptsMax: Int
  /// The keys in the order of their creation.
  var keys: [SigningKey] = []
  /// Nil in rows of earlier versions.
  var headers: [Header]?
}
