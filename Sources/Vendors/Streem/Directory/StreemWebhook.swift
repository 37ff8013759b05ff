package import GatewayCore
internal import GatewayKit

/// A webhook that a company has registered. Nothing is sent to it.
package struct StreemWebhook: Hashable, StoreValue {
  /// A key by which a company verifies webhook messages, with its sid and a label. The shared secret itself is not
  /// stored, since nothing is signed with it.
  package struct SigningKey: Hashable, Codable, Sendable {
    /// `whk_` and 22 letters and digits.
    package var sid: String
    package var label: String

    package init(sid: String, label: String) {
      self.sid = sid
      self.label = label
    }
  }

  /// `wh_` and 22 letters and digits.
  package var sid: Name
  /// The company's code.
  package var company: Name
  package var label: String
  package var url: String
  package var method: String
  package var timeoutMilliseconds: Int
  package var attemptsMax: Int
  /// The keys in the order of their creation.
  package var keys: [SigningKey] = []

  package init(
    sid: Name, company: Name, label: String, url: String, method: String, timeoutMilliseconds: Int, attemptsMax: Int
  ) {
    self.sid = sid
    self.company = company
    self.label = label
    self.url = url
    self.method = method
    self.timeoutMilliseconds = timeoutMilliseconds
    self.attemptsMax = attemptsMax
  }
}
