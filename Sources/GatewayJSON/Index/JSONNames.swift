internal import Glibc

/// The names of one object so far, to find a name that comes twice.
struct JSONNames {
  /// The names, once there are too many to compare each with all others.
  private var set: Set<[UInt8]> = []

  private static let comparedMax = 16

  /// Adds the name at `node` to the names of `object`, whose earlier members are in `nodes`. Returns false if it is there already.
  mutating func add(_ node: Int, to object: Int, _ nodes: [JSONIndex.Node], _ text: UnsafeRawBufferPointer) -> Bool {
    let count = nodes[object].count
    guard count >= Self.comparedMax else {
      var earlier = object + 1
      for _ in 0..<count {
        if Self.areEqual(nodes[earlier], nodes[node], text) { return false }
        earlier = nodes[earlier + 1].next
      }
      return true
    }
    if set.isEmpty {
      var earlier = object + 1
      for _ in 0..<count {
        set.insert(Self.bytes(nodes[earlier], text))
        earlier = nodes[earlier + 1].next
      }
    }
    return set.insert(Self.bytes(nodes[node], text)).inserted
  }

  private static func areEqual(
    _ one: JSONIndex.Node, _ other: JSONIndex.Node, _ text: UnsafeRawBufferPointer
  ) -> Bool {
    if one.kind == .escapedString || other.kind == .escapedString { return bytes(one, text) == bytes(other, text) }
    let count = one.end - one.start
    guard count == other.end - other.start else { return false }
    guard count > 0, let base = text.baseAddress else { return true }
    return memcmp(base + one.start, base + other.start, count) == 0
  }

  private static func bytes(_ name: JSONIndex.Node, _ text: UnsafeRawBufferPointer) -> [UInt8] {
    let bytes = Array(text[name.start..<name.end])
    return name.kind == .escapedString ? JSONIndex.unescaped(bytes[...]) : bytes
  }
}
