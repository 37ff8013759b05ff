/// Something that a logged-in client asks for and its vendor does: to join a call, say. What it is, the vendor knows alone.
package struct Command: Hashable, Sendable {
  /// What it is called, for people.
  package let label: String
  /// What the dialect's ``CommandHandler`` is told of it.
  package let baggage: Baggage
  /// Whether the commands behind this one start without waiting for its answer: that somebody types, say.
  package let mayOverlap: Bool

  package init(_ label: String, _ content: some Hashable & Sendable, mayOverlap: Bool = false) {
    self.label = label
    baggage = Baggage(content)
    self.mayOverlap = mayOverlap
  }
}
