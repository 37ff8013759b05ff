internal import GatewayCore

// How a connection encodes what its session sends: by its dialect, or by the conversation of a wire that needs earlier
// messages, which also decodes.

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
    // Clients of a wire with its own pings expect one in each interval, whatever they send themselves.
    if case .connected = message, conversation.askedAt == nil, !conversation.ping(context).isEmpty {
      conversation.askedAt = table.transport.now
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
      let answer = meaning == nil ? conversation.answer(to: message, context) : []
      if table.journal != nil {
        let known = answer?.isEmpty == false ? JournalMessage.vendor : .idle
        message.withUnsafeBytes { journal(.in, meaning?.meaning ?? known, nil, $0, kind) }
      }
      if let meaning { take(meaning) }
      guard let answer else {
        warnOfUnanswered(message, kind)
        continue
      }
      reply(answer)
    }
  }

  private func reply(_ frames: [Frame]) {
    guard !frames.isEmpty else { return }
    var effects: [SessionEffect] = []
    for frame in frames { send(frame, as: .vendor, &effects) }
    if !effects.isEmpty { performAll(&effects) }
  }

  /// Warns the operator of a message that gets no answer. Its client may wait for the answer and then reconnect.
  private func warnOfUnanswered(_ message: [UInt8], _ kind: Frame.Kind) {
    guard gateway.unanswered.mayWarn() else { return }
    var fields = about("message_bytes", String(message.count))
    let text = message.withUnsafeBytes { dialect.redacted($0, kind, isUnderstood: false) }
    if let text { fields.append(LogEvent.Field("message", String(text.prefix(200)))) }
    fields.append(LogEvent.Field("hint", Self.unansweredHint))
    table.log.write(.warning, "message_unanswered", fields)
  }

  private static let unansweredHint =
    "the description has no answer to it; add a rule to \"serve\": {\"hear\": […]}"

  /// Says what the wire says before a close frame.
  func sayFarewell(before reason: CloseReason, _ effects: inout [SessionEffect]) {
    guard let conversation else { return }
    for frame in conversation.farewell(before: reason, context) { send(frame, as: .vendor, &effects) }
  }

  /// The code and text of the close frame.
  func closeWords(for reason: CloseReason) -> CloseReason {
    conversation?.closeReason(for: reason) ?? dialect.closeReason(for: reason)
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
