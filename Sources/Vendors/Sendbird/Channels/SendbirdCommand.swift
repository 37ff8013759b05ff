internal import GatewayCore
internal import GatewayKit

/// A command of the socket that somebody must do: `MESG`, with all that it says.
struct SendbirdCommand: Hashable, Sendable {
  let name: String
  /// Its JSON object, and what is wrong with that.
  let body: Result<SendbirdParameters, SendbirdError>
  private let text: [UInt8]

  /// - Parameter text: The JSON object.
  init(_ name: String, _ text: [UInt8]) {
    self.name = name
    self.text = text
    body = Result { () throws(SendbirdError) in try SendbirdParameters(text) }
  }

  static func == (one: SendbirdCommand, other: SendbirdCommand) -> Bool {
    one.name == other.name && one.text == other.text
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(text)
  }
}
