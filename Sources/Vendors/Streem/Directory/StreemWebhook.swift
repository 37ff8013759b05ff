package import GatewayCore
internal import GatewayKit

/// The address where a company wants to be told of what happens, `https://a.example/hook` for instance. Nothing is sent
/// there.
package struct StreemWebhook: Hashable, StoreValue {
  /// A key by which a company knows that a message is the platform's, named by its sid and a label, "production" for
  /// instance. The shared secret itself is not kept: nothing is signed with it.
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
  /// The code of the company.
  package var company: Name
  package var label: String
  package var url: String
  package var method: String
  package var timeoutMilliseconds: Int
  package var attemptsMax: Int
  /// In the order of their making.
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
