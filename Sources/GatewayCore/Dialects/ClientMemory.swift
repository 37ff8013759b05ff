/// The state that a client keeps between messages, for a dialect without code of its own, e.g. an incomplete message.
/// Clients of other dialects have none.
///
/// Not Sendable: it belongs to its client.
package final class ClientMemory {
  /// The received bytes of an incomplete message.
  package var rest: [UInt8] = []
  /// The values taken from messages, by slot.
  package var taken: [String?]
  /// The numbers under which messages were last sent, by slot; 0 for never.
  package var sent: [UInt32]
  /// The number of the last message sent.
  package var lastID: UInt32 = 0
  /// Whether a message was sent on this connection.
  package var hasSpoken = false

  package init(taken: Int, sent: Int) {
    self.taken = Array(repeating: nil, count: taken)
    self.sent = Array(repeating: 0, count: sent)
  }

  /// Resets the memory for a new connection.
  package func restart() {
    rest = []
    hasSpoken = false
    for slot in taken.indices { taken[slot] = nil }
    for slot in sent.indices { sent[slot] = 0 }
  }
}
