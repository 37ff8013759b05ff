internal import GatewayCore

/// The shape of one MessagePack value, found in one pass: whether it is well formed, and which maps are objects of JSON.
struct MessagePackShape {
  /// For each map, in the order of their heads, whether all its keys are names of JSON.
  private(set) var arePlain: [Bool] = []

  /// An open array or map.
  private struct Open {
    /// How many values follow; of a map, keys and values.
    var left: Int
    /// The number of the map; nil for an array.
    let map: Int?
  }

  /// Checks one value that ends with the bytes. Fails for bytes that are no such value, or that nest too deeply.
  init?(_ bytes: UnsafeRawBufferPointer, depthMax: Int) {
    var cursor = MessagePackCursor(bytes)
    var open: [Open] = []
    repeat {
      guard let item = cursor.next() else { return nil }
      if let last = open.indices.last {
        open[last].left -= 1
        // The keys of a map come when an odd number of values is left.
        if let map = open[last].map, open[last].left % 2 == 1, !Self.isName(item, bytes) { arePlain[map] = false }
      }
      switch item {
      case .array(let count): open.append(Open(left: count, map: nil))
      case .map(let count):
        open.append(Open(left: 2 * count, map: arePlain.count))
        arePlain.append(true)
      default: break
      }
      guard open.count <= depthMax else { return nil }
      while open.last?.left == 0 { open.removeLast() }
    } while !open.isEmpty
    guard cursor.position == bytes.count else { return nil }
  }

  /// Returns whether a key can be the name of a member, and is none that stands for a type.
  private static func isName(_ item: MessagePackItem, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .text(let range) = item else { return false }
    let text = UnsafeRawBufferPointer(rebasing: bytes[range])
    return MessagePack.isText(text) && !MessagePack.isMark(text)
  }
}
