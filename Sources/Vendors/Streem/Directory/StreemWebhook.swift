internal import GatewayCore
internal import GatewayKit

/// A webhook that a company has registered. Nothing is sent to it.
struct StreemWebhook: Hashable, StoreValue {
  /// A key by which a company verifies webhook messages, with its sid and a label. The shared secret itself is not
  /// stored, since nothing is signed with it.
  struct SigningKey: Hashable, Codable, Sendable {
    /// `whk_` and 22 letters and digits.
    var sid: String
    var label: String
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
}
