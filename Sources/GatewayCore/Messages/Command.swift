/// A request of a logged-in client that its vendor carries out, e.g. to join a call. Only the vendor knows its meaning.
package struct Command: Hashable, Sendable {
  /// The command's name, for people.
  package let label: String
  /// The content for the dialect's ``CommandHandler``.
  package let baggage: Baggage
  /// Whether later commands may start before this one is answered, e.g. after a typing notification.
  package let mayOverlap: Bool

  package init(_ label: String, _ content: some Hashable & Sendable, mayOverlap: Bool = false) {
    self.label = label
    baggage = Baggage(content)
    self.mayOverlap = mayOverlap
  }
}
