/// The memory of one client of a dialect without code of its own, between messages: the beginning of a message whose
/// rest has not come yet, say. Clients of other dialects have none.
///
/// Not Sendable: it belongs to its client.
package final class ClientMemory {
  /// What has come of a message that has not ended.
  package var rest: [UInt8] = []
  /// What was taken from messages, slot by slot.
  package var taken: [String?]
  /// The numbers under which messages were said last, slot by slot; 0 for never.
  package var sent: [UInt32]
  /// The number of the message said last.
  package var lastID: UInt32 = 0
  /// Whether anything was said on this connection.
  package var hasSpoken = false

  package init(taken: Int, sent: Int) {
    self.taken = Array(repeating: nil, count: taken)
    self.sent = Array(repeating: 0, count: sent)
  }

  /// A connection begins.
  package func restart() {
    rest = []
    hasSpoken = false
    for slot in taken.indices { taken[slot] = nil }
    for slot in sent.indices { sent[slot] = 0 }
  }
}
