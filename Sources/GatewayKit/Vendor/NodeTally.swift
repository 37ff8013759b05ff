package import GatewayCore

/// The connection of a limit to the same limit of the gateway's other nodes. A node that lets something pass tells the others,
/// and they count it as if they had.
///
/// A limit is not divided among the nodes, since a client may stay at one of them, and would be refused there while the
/// others have room. While notes are lost, each node counts for itself. Without other nodes it does nothing.
package struct NodeTally: Sendable {
  /// The maximum length of a key, in bytes. A longer one is counted by its own node only.
  private static let keyMax = 1_024

  /// Nil without other nodes.
  private let services: (any GatewayServices)?
  private let topic: String

  /// Creates the part of the limit with that name, e.g. `sinch.guests`.
  package init(_ topic: String, on ground: Ground) {
    services = ground.turns == nil ? nil : ground.services
    self.topic = topic
  }

  /// Has the other nodes count what has passed here under that key, e.g. an address.
  package func tell(_ key: @autoclosure () -> String) {
    guard let services else { return }
    let key = key()
    if key.utf8.count <= Self.keyMax { services.tellOthers(VendorNote(topic, key)) }
  }

  /// Returns the key of something that has passed at another node; nil if the note is about something else.
  package func key(of note: VendorNote) -> String? {
    guard note.topic.utf8.elementsEqual(topic.utf8), note.text.utf8.count <= Self.keyMax else { return nil }
    return note.text
  }

  /// Returns the parts of such a key, separated by spaces; the last may contain some. Nil if it has fewer.
  package func parts(_ count: Int, of note: VendorNote) -> [String]? {
    guard let key = key(of: note) else { return nil }
    let parts = key.utf8.split(separator: UInt8(ascii: " "), maxSplits: count - 1, omittingEmptySubsequences: false)
    return parts.count == count ? parts.map { String(Substring($0)) } : nil
  }
}
