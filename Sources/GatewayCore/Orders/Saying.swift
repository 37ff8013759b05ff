/// A message that an operator sends to connections, besides the messages of their sessions.
package enum Saying: Hashable, Sendable {
  /// The bytes of one message.
  case frame(Frame)
  /// A request for a new token in the words of each connection's wire. No session waits for the answer.
  case refreshRequest

  /// The maximum size of a message, in bytes.
  package static let sizeMax = 65_536

  /// Creates the message of an order: a text, or bytes in base64, or the meaning `request:refresh`. Throws
  /// `GatewayError.invalidParameter` unless it is one of the three, and at most ``sizeMax`` bytes.
  package init(text: String?, base64: String?, mean: String?) throws(GatewayError) {
    switch (text, base64, mean) {
    case (let text?, nil, nil):
      self = .frame(Frame(text: text))
    case (nil, let base64?, nil):
      guard let bytes = Base64.decode(base64) else { throw .invalidParameter.detailed("base64 must be base64") }
      self = .frame(Frame(.binary, bytes))
    case (nil, nil, let mean?):
      guard Name(mean) == Name(Self.refreshWord) else {
        throw .invalidParameter.detailed("mean must be \(Self.refreshWord); give other messages as text or base64")
      }
      self = .refreshRequest
    default:
      throw .invalidParameter.detailed("say one of text, base64 and mean")
    }
    guard size <= Self.sizeMax else {
      throw .invalidParameter.detailed("the message has \(size) bytes, above \(Self.sizeMax)")
    }
  }

  /// The meaning of a refresh request, as faults name it.
  package static let refreshWord = "request:refresh"

  private var size: Int {
    switch self {
    case .frame(let frame): frame.payload.count
    case .refreshRequest: 0
    }
  }

  /// The message for an operator's log, without its content.
  package var summary: String {
    switch self {
    case .frame(let frame): "\(frame.kind == .text ? "text" : "binary"), \(frame.payload.count) bytes"
    case .refreshRequest: Self.refreshWord
    }
  }
}

/// How many connections an operator's message went to.
package struct SayingsDone: Hashable, Sendable {
  package var told = 0
  /// Connections whose wire cannot express it.
  package var wordless = 0
  /// The nodes that did not answer in time, and perhaps were not reached.
  package var missing: [String] = []

  package init(told: Int = 0, wordless: Int = 0) {
    (self.told, self.wordless) = (told, wordless)
  }

  package static func += (all: inout SayingsDone, part: SayingsDone) {
    all.told += part.told
    all.wordless += part.wordless
    all.missing += part.missing
  }
}
