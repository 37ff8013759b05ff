internal import GatewayCore
internal import GatewayKit

/// A command of the socket that a handler performs, e.g. `MESG`.
struct SendbirdCommand: Hashable, Sendable {
  let name: String
  /// The command's JSON object, or the error in it.
  let body: Result<SendbirdParameters, SendbirdError>
  private let text: [UInt8]

  /// Creates a command.
  ///
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
