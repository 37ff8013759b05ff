internal import GatewayCore

/// A queue of outgoing items for a peer that reads slowly, first in, first out. It is made when the first item has to wait.
final class OutboundQueue {
  /// A waiting item.
  enum Item {
    case frame(Frame)
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseReason)

    /// The bytes that it counts towards the limit: its payload and the largest frame header.
    var cost: Int {
      switch self {
      case .frame(let frame): frame.payload.count + 14
      case .ping(let payload), .pong(let payload): payload.count + 14
      case .close: 14
      }
    }
  }

  private var items: [Item] = []
  private var first = 0
  /// The sum of the costs of the waiting items.
  private(set) var bytes = 0

  var isEmpty: Bool { first == items.count }

  func append(_ item: Item) {
    items.append(item)
    bytes += item.cost
  }

  func popFirst() -> Item? {
    guard first < items.count else { return nil }
    let item = items[first]
    // Releases the payload now, not when the array is released.
    items[first] = .ping([])
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
