internal import Glibc

/// Finds a member named twice.
enum JSONNames {
  /// From so many members on, names go into a set, whose hashes nobody can foresee; below, each is compared with each,
  /// which allocates nothing.
  private static let compareMax = 16

  /// Throws if two of the `count` members of the object at `object`, all read, have the same name, however written.
  static func checkUnique(
    in object: Int, count: Int, _ nodes: [JSONNode], _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) {
    guard count > 1 else { return }
    var isSimple = count <= compareMax
    var seen: Set<[UInt8]> = []
    if isSimple {
      var index = object + 1
      for _ in 0..<count {
        if nodes[index].hasEscapes { isSimple = false }
        index = Int(nodes[index + 1].next)
      }
    }
    var index = object + 1
    for number in 0..<count {
      let name = nodes[index]
      let isKnown =
        if isSimple {
          isAmongFirst(number, of: object, name, nodes, bytes)
        } else {
          !seen.insert(text(name, bytes)).inserted
        }
      guard !isKnown else { throw .duplicateMember(position: Int(name.start)) }
      index = Int(nodes[index + 1].next)
    }
  }

  private static func isAmongFirst(
    _ count: Int, of object: Int, _ name: JSONNode, _ nodes: [JSONNode], _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let length = name.range.count
    var index = object + 1
    for _ in 0..<count {
      let other = nodes[index]
      if other.range.count == length,
        length == 0 || memcmp(bytes.baseAddress! + Int(other.start), bytes.baseAddress! + Int(name.start), length) == 0
      {
        return true
      }
      index = Int(nodes[index + 1].next)
    }
    return false
  }

  private static func text(_ name: JSONNode, _ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let written = UnsafeBufferPointer(rebasing: bytes[name.range])
    return name.hasEscapes ? JSONText.unescape(written) : Array(written)
  }
}
