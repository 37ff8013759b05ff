internal import GatewayCore

// How a connection puts what its session says into words: by its dialect, or by the conversation of a wire that remembers
// what was said, which hears for it too.

extension Connection {
  /// Puts a message into words and sends it.
  func say(_ message: OutboundMessage, _ effects: inout [SessionEffect]) {
    if case .refreshRequired(let cause, let timeout) = message, conversation == nil,
      let frame = table.refreshRequest(cause, timeout, of: binding, bindingNumber)
    {
      return send(frame, as: message.meaning, &effects)
    }
    let context = context
    guard let conversation else {
      let dialect = dialect
      if let prelude = dialect.prelude(to: message, context) { send(prelude, as: .prelude, &effects) }
      guard let frame = dialect.encode(message, context) else { return }
      return send(frame, as: message.meaning, telling: message.error, &effects)
    }
    for frame in conversation.encode(message, context) {
      send(frame, as: message.meaning, telling: message.error, &effects)
    }
  }

  /// Says what the gateway says first.
  func greet() {
    guard let conversation else { return }
    var effects: [SessionEffect] = []
    for frame in conversation.greeting(context) { send(frame, as: .prelude, &effects) }
    performAll(&effects)
  }

  /// Takes the messages that have come with a frame, one after the other.
  func received(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, in conversation: any Conversation) {
    for message in conversation.messages(in: payload) {
      guard !standing.isClosing else { return }
      let meaning = conversation.decode(message, context)
      if table.journal != nil {
        message.withUnsafeBytes { journal(.in, meaning?.meaning ?? .idle, nil, $0, kind) }
      }
      if let meaning { take(meaning) }
    }
  }

  /// Asks the client for a sign of life in the words of its wire; false where it has none.
  func asksInItsWords(at now: Instant) -> Bool {
    guard let conversation, standing.grant != nil else { return false }
    let frames = conversation.ping(context)
    guard !frames.isEmpty else { return false }
    conversation.askedAt = now
    var effects: [SessionEffect] = []
    for frame in frames { send(frame, as: .vendor, &effects) }
    if !effects.isEmpty { performAll(&effects) }
    return true
  }
}
