/// The channel between the nodes of one gateway. Every node receives every message, its own too, and all of them in one order.
///
/// A message is lost while the channel is away, and the receiver is told that it may have missed some. No message is
/// received twice.
package protocol Bus: Sendable {
  /// Has `receiver` be given every message from here on. Once, before anything is sent.
  func open(_ receiver: any BusReceiver)

  /// Sends a message without waiting, from any thread. Messages of one thread are received in the order in which they were
  /// sent.
  func send(_ message: BusMessage)

  /// Whether messages surely do not arrive at present.
  var isAway: Bool { get }

  /// Waits until the node has received everything that it had sent, or that is lost; at most a second.
  nonisolated(nonsending) func settle() async
}

/// The receiver of a node's messages.
package protocol BusReceiver: AnyObject, Sendable {
  /// Receives a message of a node. Called in the order of the messages, one at a time.
  func receive(_ message: BusMessage, from sender: NodeBoot)

  /// Takes note that messages may be missing before the next one.
  func missed()
}
