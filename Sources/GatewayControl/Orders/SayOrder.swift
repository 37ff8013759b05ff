/// The order to send a message to clients, `POST /users/ann/say`. It has one of the three members.
package struct SayOrder: ControlOrder {
  package static let form = #"{"text"?: string, "base64"?: string, "mean"?: "request:refresh"}"#
  /// A byte of the message may take six in JSON.
  package static let bodyBytesMax = 6 * 65_536 + 1024

  /// The text of a text message, 65,536 bytes at most.
  package var text: String?
  /// The bytes of a binary message, 65,536 at most.
  package var base64: String?
  /// The meaning of a message that each wire words in its own way: `request:refresh`.
  package var mean: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case text
    case base64
    case mean
  }

  package init(text: String? = nil, base64: String? = nil, mean: String? = nil) {
    self.text = text
    self.base64 = base64
    self.mean = mean
  }
}
