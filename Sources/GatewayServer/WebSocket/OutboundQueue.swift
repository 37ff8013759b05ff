internal import GatewayCore

/// A queue of what waits behind a peer that reads slowly, first in, first out: three messages and a ping, for instance.
/// Made when something first has to wait.
final class OutboundQueue {
  /// An item that waits: a close frame behind three messages, for instance.
  enum Item {
    case frame(Frame)
    case ping
    case close(CloseReason)

    /// What it counts towards the limit: its payload and what the frame around it may take.
    var cost: Int {
      if case .frame(let frame) = self { frame.payload.count + 14 } else { 14 }
    }
  }

  private var items: [Item] = []
  private var first = 0
  /// The sum of the costs of what waits.
  private(set) var bytes = 0

  var isEmpty: Bool { first == items.count }

  func append(_ item: Item) {
    items.append(item)
    bytes += item.cost
  }

  func popFirst() -> Item? {
    guard first < items.count else { return nil }
    let item = items[first]
    // The payload is let go of now, not when the array is.
    items[first] = .ping
    first += 1
    bytes -= item.cost
    if first == items.count {
      items.removeAll()
      first = 0
    } else if first >= 64 && 2 * first >= items.count {
      items.removeFirst(first)
      first = 0
    }
    return item
  }

  func removeAll() {
    items.removeAll()
    first = 0
    bytes = 0
  }
}
